import { deepestInput } from '../../kernel/json/json-depth.js';
import { type InvalidField } from '../../kernel/refusals/refusal.js';
import { wrongCharacter } from '../../kernel/text/must-be.js';

export const mostErrors = 50;
const longestKeyShown = 100;

/**
 * Finds content that no body may have: nesting too deep to serialise again, characters that stores and protocols treat
 * differently, and numbers that JSON would write as null.
 */
export function bodyFaults(body: object): readonly InvalidField[] {
  if (isFine(body, deepestInput)) return [];
  const found: InvalidField[] = [];
  lookThrough(body, '', deepestInput, found);
  return found;
}

/** Builds no paths, so it is fast. Most bodies are valid and need no further check. */
function isFine(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return wrongCharacter(value) === undefined;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((one) => isFine(one, levels - 1));
  return Object.entries(value).every(([key, inner]) => wrongCharacter(key) === undefined && isFine(inner, levels - 1));
}

function lookThrough(value: unknown, path: string, levels: number, found: InvalidField[]): void {
  if (found.length >= mostErrors) return;
  const message = wrongScalar(value);
  if (message !== undefined) found.push({ path, message });
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) {
    found.push({ path: '', message: `must not nest deeper than ${deepestInput} levels` });
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) lookThrough(one, `${path}[${index}]`, levels - 1, found);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = memberPath(path, key.toWellFormed());
    const wrong = wrongCharacter(key);
    if (wrong !== undefined && found.length < mostErrors) found.push({ path: at, message: `has a name that ${wrong}` });
    lookThrough(inner, at, levels - 1, found);
  }
}

function wrongScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return wrongCharacter(value);
  return typeof value !== 'number' || Number.isFinite(value)
    ? undefined
    : `must be between -${Number.MAX_VALUE} and ${Number.MAX_VALUE}, the range of JSON numbers`;
}

export function memberPath(above: string, key: string): string {
  const shown = key.length > longestKeyShown ? `${key.slice(0, longestKeyShown)}…` : key || '""';
  return above === '' ? shown : `${above}.${shown}`;
}
