/** Parsed content of a `package.json`. It may have any shape. */
export type PackageManifest = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Deepest nesting of targets within targets. A hostile package could nest them endlessly. */
const deepest = 20;

/**
 * Returns the target of a subpath such as `.` or `./button` in a package's `exports`, as Node resolves it. The target
 * is a path in the package that begins with `./`. Returns undefined if there is none.
 */
export function exportedPath(exports: unknown, subpath: string, conditions: ReadonlySet<string>): string | undefined {
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  if (!isMap) return subpath === '.' ? targetOf(exports, '', conditions) : undefined;
  return mappedPath(exports, subpath, conditions);
}

/**
 * Returns the target of a key in a map of `exports` or `imports`. In `imports`, a key such as `#internal` may also lead
 * to another package.
 */
export function mappedPath(map: unknown, key: string, conditions: ReadonlySet<string>): string | undefined {
  if (!isRecord(map)) return undefined;
  if (Object.hasOwn(map, key) && !key.includes('*')) return targetOf(map[key], '', conditions);
  const fitting = Object.keys(map)
    .map((pattern) => [pattern, ...pattern.split('*')] as const)
    .filter(([pattern, before = '', after = '', more]) => {
      if (more !== undefined || !key.startsWith(before)) return false;
      if (!pattern.includes('*')) return pattern.endsWith('/');
      return key.length >= pattern.length && key.endsWith(after);
    })
    .sort(([, one = ''], [, other = '']) => other.length - one.length);
  const [found] = fitting;
  if (found === undefined) return undefined;
  const [pattern, before = '', after = ''] = found;
  const rest = key.slice(before.length, key.length - after.length);
  const target = targetOf(map[pattern], rest, conditions);
  return target !== undefined && !pattern.includes('*') ? target + rest : target;
}

function targetOf(target: unknown, rest: string, conditions: ReadonlySet<string>, depth = 0): string | undefined {
  if (typeof target === 'string') return target.replaceAll('*', rest);
  if (depth === deepest || typeof target !== 'object' || target === null) return undefined;
  const list = Array.isArray(target)
    ? target
    : Object.entries(target).flatMap(([name, one]) => (conditions.has(name) ? [one] : []));
  for (const one of list) {
    if (one === null) return undefined;
    const found = targetOf(one, rest, conditions, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the bundler may omit this file if nothing of it is used, according to the package's `sideEffects`. */
export function isPure({ sideEffects }: PackageManifest, file: string): boolean {
  if (sideEffects === false) return true;
  if (!Array.isArray(sideEffects)) return false;
  return !sideEffects.some((one) => typeof one === 'string' && matches(one.replace(/^\.?\//, ''), file));
}

function matches(glob: string, file: string): boolean {
  if (glob.length > 200) return true;
  const whole = glob.includes('/') ? glob : `**/${glob}`;
  const parts = whole.split(/(\*\*\/|\*\*|\*|\?)/).map((part) => {
    if (part === '**/') return '(?:[^/]+/)*';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : part.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`).test(file);
}
