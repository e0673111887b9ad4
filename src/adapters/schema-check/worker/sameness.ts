import { isJsonArray, isJsonObject, type Json } from '../../../kernel/json/json.js';

/** Compares JSON values: members in any order, numbers by value. `step` is called for each value compared. */
export function isSame(one: Json, other: Json, step: () => void): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return canonical(one, step) === canonical(other, step);
}

/** Returns a text that is the same for equal values. */
export function canonical(value: Json, step: () => void): string {
  step();
  if (isJsonArray(value)) return `[${value.map((item) => canonical(item, step)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null, step)}`).join()}}`;
}
