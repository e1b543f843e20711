# See .zshenv.

ZDOTDIR=$__cardloom_home
[[ -r $ZDOTDIR/.zprofile ]] && builtin source "$ZDOTDIR/.zprofile"
__cardloom_home=${ZDOTDIR:-$HOME}
ZDOTDIR=$__cardloom_files
