import type { CliCommand } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** What a shell has to be told once, so that it completes commands and options. */
export function completionFor(shell: Shell, commands: readonly CliCommand[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

function bash(commands: readonly CliCommand[]): string {
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${Object.keys(options).map(flag).join(' ')} --help" ;;`,
  );
  return `# Put into ~/.bashrc: source <(vitrine completion bash)
_vitrine() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${names(commands).join(' ')} help"
  elif [ "\${word#-}" != "$word" ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  elif [ "\${COMP_WORDS[1]}" = help ]; then
    words="${names(commands).join(' ')}"
  else
    COMPREPLY=($(compgen -f -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _vitrine vitrine
`;
}

function zsh(commands: readonly CliCommand[]): string {
  const described = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options }) => {
    const flags = Object.entries(options).map(([option, { type, about, many = false }]) => {
      const value = type === 'string' ? ': :_files' : '';
      return quoted(`${many ? '*' : ''}--${option}[${about.replaceAll(/[[\]:]/g, ' ')}]${value}`);
    });
    return `    ${name}) _arguments ${[...flags, `'--help[its help]'`, `'*: :_files'`].join(' ')} ;;`;
  });
  return `#compdef vitrine
# Put into ~/.zshrc, after compinit: source <(vitrine completion zsh)
_vitrine() {
  local -a commands
  commands=(
${described.join('\n')}
    'help:say what a command does'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe command commands ;;
${cases.join('\n')}
  esac
}
compdef _vitrine vitrine
`;
}

function fish(commands: readonly CliCommand[]): string {
  const begins = 'complete -c vitrine';
  const lines = commands.flatMap(({ name, summary, options }) => [
    `${begins} -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...Object.entries(options).map(
      ([option, { type, about }]) =>
        `${begins} -n '__fish_seen_subcommand_from ${name}' -l ${option}${type === 'string' ? ' -r' : ''} -d ${quoted(about)}`,
    ),
  ]);
  return `# Put into ~/.config/fish/config.fish: vitrine completion fish | source
${lines.join('\n')}
${begins} -n __fish_use_subcommand -f -a help -d 'say what a command does'
${begins} -n '__fish_seen_subcommand_from help' -f -a '${names(commands).join(' ')}'
`;
}

function names(commands: readonly CliCommand[]): string[] {
  return commands.map(({ name }) => name);
}

function flag(option: string): string {
  return `--${option}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
