import type { Project } from './project/project.record.js';

export interface BrandTheme {
  /** Keyed by Tailwind theme token without the leading dashes, such as `color-brand`. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly wrong: readonly string[];
}

const mostTokens = 200;
const longestValue = 200;
const tokenName = /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;

const hex = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const colorFunction = /^(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]*)\)$/i;
const component = /^(?:none|[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:%|deg|rad|grad|turn)?)$/i;
const colorSpace = /^[a-z][a-z0-9-]*$/i;
const length = /^(?:0|(?:\d+(?:\.\d+)?|\.\d+)(?:px|rem|em|%|vw|vh|pt|ch))$/i;
const family = /^(?:"[\w .-]+"|'[\w .-]+'|[A-Za-z][\w -]*)$/;

/** Accepts only forms that cannot contain a URL or a character that ends a CSS declaration. */
function isColor(value: string): boolean {
  if (hex.test(value) || /^[a-z]{3,30}$/i.test(value)) return true;
  const [, name = '', given = ''] = colorFunction.exec(value) ?? [];
  const parts = given.split(/[\s,/]+/).filter((part) => part !== '');
  const numbers = name.toLowerCase() === 'color' ? parts.slice(1) : parts;
  const isInSpace = numbers === parts || colorSpace.test(parts[0] ?? '');
  return isInSpace && numbers.length >= 3 && numbers.length <= 4 && numbers.every((part) => component.test(part));
}

const isFamily = (value: string) => value.split(',').every((one) => family.test(one.trim()));
const isLength = (value: string) => length.test(value);

/** Of `brandKit`, only `colors`, `fonts` and `radius` are used (Sites supplement, Pages, build, publish). */
export function themeOf({ color: brand, brandKit }: Pick<Project, 'color' | 'brandKit'>): BrandTheme {
  const tokens: Record<string, string> = {};
  const wrong: string[] = [];
  const take = (kind: string, name: string, value: unknown, isGood: (value: string) => boolean, what: string) => {
    const text = typeof value === 'string' && value.length <= longestValue ? value.trim() : '';
    if (isGood(text) && Object.keys(tokens).length < mostTokens) tokens[name] = text;
    else wrong.push(`brandKit.${kind} is not a valid CSS ${what}, and is ignored.`);
  };
  for (const [kind, isGood, what] of [
    ['colors', isColor, 'color'],
    ['fonts', isFamily, 'font family'],
  ] as const) {
    const given = brandKit?.[kind];
    if (given === undefined || given === null) continue;
    if (typeof given !== 'object' || Array.isArray(given)) {
      wrong.push(`brandKit.${kind} must be an object of names and values, and is ignored.`);
      continue;
    }
    for (const [name, value] of Object.entries(given)) {
      if (!tokenName.test(name))
        wrong.push(`brandKit.${kind} has an invalid name '${name.slice(0, 64)}', which is ignored.`);
      else take(`${kind}.${name}`, `${kind.slice(0, -1)}-${name}`, value, isGood, what);
    }
  }
  if (brandKit?.['radius'] != null) take('radius', 'radius', brandKit['radius'], isLength, 'length');
  return { tokens: { ...tokens, 'color-brand': brand }, wrong };
}
