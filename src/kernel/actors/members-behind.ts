import type { Actor } from '../event/event.js';

/** Returns the members who are treated as having done what the actor did. */
export function membersBehind({ kind, id, personBehind, makers = [] }: Omit<Actor, 'name'>): readonly string[] {
  const person = kind === 'person' ? [id] : [];
  const behind = personBehind === undefined ? [] : [personBehind.id];
  return [...new Set([...person, ...behind, ...makers])];
}

/** The members who started the function become the actor's makers, so the four-eyes principle applies to them too. */
export function functionActor(fn: { readonly id: string; readonly name: string }, startedBy: Actor): Actor {
  const makers = membersBehind(startedBy);
  return { kind: 'function', id: fn.id, name: fn.name, ...(makers.length === 0 ? {} : { makers }) };
}
