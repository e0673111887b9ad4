import type { Actor } from '../event/event.js';

/**
 * Returns the ids of the members who answer for what the actor did: the actor itself if it is a person, the person on
 * whose behalf it acts, and its makers.
 */
export function membersBehind({ kind, id, personBehind, makers = [] }: Omit<Actor, 'name'>): readonly string[] {
  const person = kind === 'person' ? [id] : [];
  const behind = personBehind === undefined ? [] : [personBehind.id];
  return [...new Set([...person, ...behind, ...makers])];
}

/**
 * The returned actor's `makers` are the members behind `startedBy`. The four-eyes principle treats them as requesters
 * of what the function does.
 */
export function functionActor(fn: { readonly id: string; readonly name: string }, startedBy: Actor): Actor {
  const makers = membersBehind(startedBy);
  return { kind: 'function', id: fn.id, name: fn.name, ...(makers.length === 0 ? {} : { makers }) };
}
