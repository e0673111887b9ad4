export type PackageManifest = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maximum depth of nested targets, because a hostile package could nest them endlessly. */
const deepest = 20;

/** Resolves a subpath such as `.` or `./button` like Node. The result begins with `./`. */
export function exportedPath(exports: unknown, subpath: string, conditions: ReadonlySet<string>): string | undefined {
  const isMap = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.'));
  if (!isMap) return subpath === '.' ? targetOf(exports, '', conditions) : undefined;
  return mappedPath(exports, subpath, conditions);
}

/**
 * Resolves a key of a package's `exports` or `imports`. In `imports`, a key such as `#internal` can also lead to
 * another package.
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

/** Follows the package's `sideEffects`: the bundler may omit a pure file if nothing of it is used. */
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
