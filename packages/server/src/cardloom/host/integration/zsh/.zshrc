# See .zshenv. From here on ZDOTDIR is the user's; zsh finds their .zlogin by itself.

[[ ${HISTFILE-} == $__cardloom_files/* ]] && HISTFILE=$__cardloom_home/${HISTFILE##*/}
ZDOTDIR=$__cardloom_home
[[ -r $ZDOTDIR/.zshrc ]] && builtin source "$ZDOTDIR/.zshrc"
__cardloom_home=${ZDOTDIR:-$HOME}

() {
  # System profiles often set PATH anew; what stood on it before (a virtual environment, say) goes in front again.
  local entry
  local -a missing
  for entry in ${(s.:.)__cardloom_path}; do
    (( ${path[(Ie)$entry]} )) || missing+=($entry)
  done
  path=($missing $path)
}
if [[ $__cardloom_home == $HOME ]]; then
  unset ZDOTDIR
fi
unset __cardloom_path __cardloom_files __cardloom_home

__cardloom_input=$'%{\e]633;B;'$__cardloom_nonce$'\a%}'

# Leaves the text of a command in __cardloom_text so that it fits between the semicolons of a mark.
__cardloom_escape() {
  emulate -L zsh
  local text=${1[1,4096]} char
  local -i at
  __cardloom_text=
  for ((at = 1; at <= $#text; at++)); do
    char=$text[at]
    case $char in
      '\') __cardloom_text+='\\' ;;
      ';') __cardloom_text+='\x3b' ;;
      [$'\x01'-$'\x1f'$'\x7f']) __cardloom_text+="\\x${(l:2::0:)$(([##16]#char))}" ;;
      *) __cardloom_text+=$char ;;
    esac
  done
}

__cardloom_first() {
  local code=$?
  builtin printf '\e]633;D;%s;%s\a\e]633;A;%s\a' "$code" "$__cardloom_nonce" "$__cardloom_nonce"
  return $code
}

__cardloom_last() {
  local code=$?
  [[ $PS1 == *"$__cardloom_input"* ]] || PS1+=$__cardloom_input
  return $code
}

# A command that the user keeps out of the history is not told either.
__cardloom_before_command() {
  local text=$1
  [[ -o hist_ignore_space && $text == ' '* ]] && text=
  __cardloom_escape "$text"
  builtin printf '\e]633;E;%s;%s\a\e]633;C;%s\a' "$__cardloom_text" "$__cardloom_nonce" "$__cardloom_nonce"
}

typeset -ga precmd_functions preexec_functions

# Of the user's hooks the function `precmd` would run before ours and print into the command's output.
if (( $+functions[precmd] )); then
  functions[__cardloom_users_precmd]=$functions[precmd]
  unfunction precmd
  precmd_functions=(__cardloom_users_precmd $precmd_functions)
fi

precmd_functions=(__cardloom_first $precmd_functions __cardloom_last)
preexec_functions+=(__cardloom_before_command)
