import type { Invocation } from './invocation.js';

type Flags = Invocation['flags'];

export function given(flags: Flags, name: string): string {
  const value = optional(flags, name);
  if (value === undefined) throw new Error(`--${name} is required.`);
  return value;
}

export function optional(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
