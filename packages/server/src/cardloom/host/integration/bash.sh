# Cardloom's start-up file for bash: first what a login shell reads, then the marks of prompts and commands.
# Nothing of the user's is written; what they set up (PROMPT_COMMAND, PS0, PS1) stays and runs as before.

__cardloom_nonce=$CARDLOOM_NONCE
unset CARDLOOM_NONCE
__cardloom_path=$PATH

[[ -r /etc/profile ]] && . /etc/profile
if [[ -r ~/.bash_profile ]]; then
  . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then
  . ~/.bash_login
elif [[ -r ~/.profile ]]; then
  . ~/.profile
elif [[ -r ~/.bashrc ]]; then
  . ~/.bashrc
fi

# Profiles often set PATH anew; what stood on it before (a virtual environment, say) goes in front again.
__cardloom_restore_path() {
  local entry missing=
  local IFS=:
  set -f
  for entry in $__cardloom_path; do
    [[ :$PATH:$missing: == *":$entry:"* ]] || missing+=${missing:+:}$entry
  done
  set +f
  [[ -n $missing ]] && PATH=$missing:$PATH
  return 0
}
__cardloom_restore_path
unset __cardloom_path
unset -f __cardloom_restore_path

# Leaves the text of a command in __cardloom_text so that it fits between the semicolons of a mark.
__cardloom_escape() {
  local LC_ALL=C bs='\' char code
  __cardloom_text=${1:0:4096}
  __cardloom_text=${__cardloom_text//"$bs"/"$bs$bs"}
  __cardloom_text=${__cardloom_text//';'/"${bs}x3b"}
  if [[ $__cardloom_text == *[[:cntrl:]]* ]]; then
    for code in 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 7f; do
      printf -v char "\\x$code"
      __cardloom_text=${__cardloom_text//"$char"/"${bs}x$code"}
    done
  fi
}

# Runs in PS0, in a subshell, after a command was read and before it starts; the history tells its text.
__cardloom_before_command() {
  local line=
  if [[ -o history ]]; then
    line=$(HISTTIMEFORMAT= builtin history 1)
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#"${line%%[!0-9]*}"}
    line=${line:2}
  fi
  __cardloom_escape "$line"
  printf '\e]633;E;%s;%s\a\e]633;C;%s\a' "$__cardloom_text" "$__cardloom_nonce" "$__cardloom_nonce"
}

# First of the prompt commands: only here is the exit code still the command's.
__cardloom_first() {
  local code=$?
  printf '\e]633;D;%s;%s\a\e]633;A;%s\a' "$code" "$__cardloom_nonce" "$__cardloom_nonce"
  return "$code"
}

# Last of the prompt commands: whatever made the prompt has made it, and it gets its end mark.
__cardloom_last() {
  local code=$?
  [[ $PS1 == *"$__cardloom_input"* ]] || PS1+=$__cardloom_input
  [[ ${PS0-} == *"$__cardloom_start"* ]] || PS0=${PS0-}$__cardloom_start
  return "$code"
}

# PS0 came with bash 4.4. An older bash works without marks.
if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && shopt -q promptvars; then
  __cardloom_input='\[\e]633;B;'$__cardloom_nonce'\a\]'
  __cardloom_start='$(__cardloom_before_command)'
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501)); then
    PROMPT_COMMAND=(__cardloom_first "${PROMPT_COMMAND[@]}" __cardloom_last)
  else
    PROMPT_COMMAND="__cardloom_first"$'\n'"${PROMPT_COMMAND-}"$'\n'"__cardloom_last"
  fi
fi
