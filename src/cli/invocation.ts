export interface Console {
  out(line: string): void;
  error(line: string): void;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** The flags and arguments of a command, its environment variables and its output. */
export interface Invocation {
  readonly flags: Values;
  readonly words: readonly string[];
  readonly environment: EnvironmentVariables;
  readonly console: Console;
}
