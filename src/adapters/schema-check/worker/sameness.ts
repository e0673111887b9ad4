import { isJsonArray, isJsonObject, type Json } from '../../../kernel/json/json.js';

/**
 * Whether two JSON values are equal. The order of members is ignored, and numbers are compared by value. If both are
 * lists or objects, calls `step` for each value in them.
 */
export function isSame(one: Json, other: Json, step: () => void): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return canonical(one, step) === canonical(other, step);
}

/** Returns a text that is the same for equal values and different for others. */
export function canonical(value: Json, step: () => void): string {
  step();
  if (isJsonArray(value)) return `[${value.map((item) => canonical(item, step)).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null, step)}`).join()}}`;
}
