# Cardloom's start-up files for zsh stand in a folder of their own. Each runs the user's file of the same name in its
# place, with ZDOTDIR as the user has it; the last one adds the marks of prompts and commands.

__cardloom_nonce=$CARDLOOM_NONCE
__cardloom_files=$ZDOTDIR
__cardloom_home=$CARDLOOM_ZDOTDIR
unset CARDLOOM_NONCE CARDLOOM_ZDOTDIR

__cardloom_path=$PATH

ZDOTDIR=$__cardloom_home
[[ -r $ZDOTDIR/.zshenv ]] && builtin source "$ZDOTDIR/.zshenv"
__cardloom_home=${ZDOTDIR:-$HOME}
ZDOTDIR=$__cardloom_files
