export interface Console {
  out(line: string): void;
  error(line: string): void;
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export interface Invocation {
  readonly flags: Values;
  readonly words: readonly string[];
  readonly environment: EnvironmentVariables;
  readonly console: Console;
}
