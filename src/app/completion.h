#pragma once

namespace karst::app {

inline constexpr const char* kBashCompletion = R"(_karst() {
  local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}"
  local words=""
  case "$previous" in
    --dir) COMPREPLY=($(compgen -d -- "$word")); return ;;
    --cert|--key) COMPREPLY=($(compgen -f -- "$word")); return ;;
    init) words="server" ;;
    config) words="check" ;;
    completion) words="bash" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="init invite join up status id clients revoke config completion --help --version --dir"
  elif [ -z "$words" ]; then
    case "$command" in
      init) words="--name --listen --address --cert --key --dir --help" ;;
      invite) words="--expires --address --qr --dir --help" ;;
      join) words="--socks --dir --help" ;;
      status|clients) words="--json --dir --help" ;;
      *) words="--dir --help" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _karst karst
)";

}  // namespace karst::app
