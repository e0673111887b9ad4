import type { Invocation } from './invocation.js';

type Flags = Invocation['flags'];

export function given(flags: Flags, name: string): string {
  const value = optional(flags, name);
  if (value === undefined) throw new Error(`--${name} is required.`);
  return value;
}

/** @throws Error if the value is empty, for example because a variable of a script is unset */
export function optional(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  if (value === '') throw new Error(`--${name} must not be empty.`);
  return typeof value === 'string' ? value : undefined;
}
