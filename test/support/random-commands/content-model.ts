/**
 * A simple model of a project's content. It computes what pages, components and email templates contain after any
 * change.
 */
export type Kind = 'page' | 'component' | 'emailTemplate';
export type Facts = Readonly<Record<string, unknown>>;

export interface File {
  readonly id: string;
  readonly kind: Kind;
  readonly facts: Facts;
}

/** Files by id. */
export type State = ReadonlyMap<string, File>;

/** Fields of each kind that the model covers. */
export const known: Readonly<Record<Kind, readonly string[]>> = {
  page: ['path', 'title', 'content', 'isHomePage', 'active'],
  component: ['name', 'content', 'isGlobal'],
  emailTemplate: ['slug', 'subject', 'content', 'variables'],
};

export const file = (kind: Kind, answer: Facts): File => ({
  id: String(answer['id']),
  kind,
  facts: Object.fromEntries(known[kind].map((name) => [name, answer[name]])),
});

const equal = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
export const same = (one: File | undefined, other: File | undefined): boolean => equal(one?.facts, other?.facts);

/** Returns the names and paths of a file that no other file of the project may have at the same time. */
export function held({ kind, facts }: File): readonly string[] {
  if (kind === 'component') return [`component ${facts['name']}`];
  if (kind === 'emailTemplate') return [`template ${facts['slug']}`];
  return [...(facts['active'] ? [`path ${facts['path']}`] : []), ...(facts['isHomePage'] ? ['home'] : [])];
}

const taken = (next: File, before: File | undefined) => {
  const had = before === undefined ? [] : held(before);
  return held(next).filter((place) => !had.includes(place));
};

/**
 * Whether saving the file is refused because another file has its name. Pages are never refused; they take over the
 * path.
 */
export const isRefused = (state: State, next: File): boolean =>
  next.kind !== 'page' &&
  [...state.values()].some(
    ({ id, ...other }) => id !== next.id && held({ id, ...other }).some((name) => held(next).includes(name)),
  );

/**
 * Returns the state with one file set. A page that gets a new path, or becomes the home page, takes that from the other
 * pages.
 */
export function withFile(state: State, next: File): State {
  const places = taken(next, state.get(next.id));
  const others = [...state.values()].map((other) => {
    if (other.kind !== 'page' || next.kind !== 'page') return other;
    const lost = {
      ...(places.includes(`path ${other.facts['path']}`) ? { active: false } : {}),
      ...(places.includes('home') ? { isHomePage: false } : {}),
    };
    return { ...other, facts: { ...other.facts, ...lost } };
  });
  return new Map([...others, next].map((one) => [one.id, one]));
}

/**
 * Returns the page with the sent fields. The home page is always at `/`, so a page that moves away from there is no
 * longer the home page.
 */
export function updated({ facts, ...page }: File, sent: Facts): File {
  const { path = facts['path'], isHomePage = facts['isHomePage'] } = sent;
  if (page.kind !== 'page') return { ...page, facts: { ...facts, ...sent } };
  if (sent['isHomePage'] === true) return { ...page, facts: { ...facts, ...sent, path: '/' } };
  return { ...page, facts: { ...facts, ...sent, isHomePage: isHomePage === true && path === '/' } };
}

/**
 * Undoes the changes between two states, file by file. A file is skipped if another file now has its former name or
 * path.
 */
export function reverted(now: State, before: State, after: State) {
  const files = [...new Set([...before.keys(), ...after.keys()])].filter((id) => !same(before.get(id), after.get(id)));
  const skipped = new Set<string>();
  for (;;) {
    const next = new Map(now);
    for (const id of files.filter((one) => !skipped.has(one))) {
      const undone = undoing(now.get(id), before.get(id), after.get(id));
      if (undone === 'later') skipped.add(id);
      else if (undone === undefined) next.delete(id);
      else next.set(id, undone);
    }
    const isLeft = ({ id }: File) => !files.includes(id) || skipped.has(id);
    const others = [...now.values()].filter(isLeft);
    const displacing = [...next.values()].filter((one) => {
      const places = taken(one, now.get(one.id));
      return others.some((other) => other.id !== one.id && held(other).some((place) => places.includes(place)));
    });
    if (displacing.length === 0) return { state: next as State, skipped };
    for (const { id } of displacing) skipped.add(id);
  }
}

function undoing(now: File | undefined, before: File | undefined, after: File | undefined): File | undefined | 'later' {
  if (now === undefined || before === undefined || after === undefined) return same(now, after) ? before : 'later';
  const changed = known[now.kind].filter((name) => !equal(before.facts[name], after.facts[name]));
  if (changed.some((name) => !equal(now.facts[name], after.facts[name]))) return 'later';
  const facts = { ...now.facts, ...Object.fromEntries(changed.map((name) => [name, before.facts[name]])) };
  return facts['isHomePage'] === true && facts['path'] !== '/' ? 'later' : { ...now, facts };
}
