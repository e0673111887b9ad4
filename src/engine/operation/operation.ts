import type { CallerKind, Permission } from '../../kernel/caller.js';
import type { DomainEvent } from '../../kernel/event.js';
import type { FieldSpec, Shape } from './field.js';

/** What an operation answers: a record, a plain list of records, or the fields of an unnamed object. */
export type AnswerSpec =
  | { readonly record: Shape }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, FieldSpec>> };

export const success = {
  fields: { success: { type: 'boolean', description: 'Always true.' } },
} as const satisfies AnswerSpec;

/** Whether an event takes something away, judged with the state before it where the change is decided. Pure. */
export type TakesAway = (event: DomainEvent, before: unknown) => boolean;

/** For operations that take away only sometimes; `State` and `Event` are those of what the operation changes. */
export function takesAwayWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): TakesAway {
  return judge as TakesAway;
}

/** Everything the pipeline and the documents have to know of an operation. Nothing is open unless it says so. */
export interface OperationSpec {
  /** One sentence, in the OpenAPI document. */
  readonly summary: string;
  /** Where the contract says so, e.g. `Automations API, Functions`. */
  readonly source: string;
  readonly effect: 'command' | 'query';
  /** The right that the caller's role, or a grant of its own, has to give. */
  readonly permission: Permission;
  /** Kinds of caller it is open to; left out, all of them. */
  readonly callers?: readonly CallerKind[];
  /** A query that shows live links: refused to read-only keys and Viewers as commands are. */
  readonly showsLinks?: true;
  /** Deletes, removes or revokes, always or when it records what the judge says: refused to keys that never delete. */
  readonly takesAway?: true | TakesAway;
  readonly answers: AnswerSpec;
}

export type OperationName = `${string}/${string}`;

export interface RegisteredOperation extends OperationSpec {
  readonly name: OperationName;
  readonly input: Shape;
}

const registry = new Map<string, RegisteredOperation>();

/** Registers the class as the operation's request body, command or query, and schema. */
export function Operation(name: OperationName, spec: OperationSpec) {
  return (input: Shape): void => {
    if (registry.has(name)) throw new Error(`Two classes say they are the operation ${name}.`);
    registry.set(name, { ...spec, name, input });
  };
}

export function findOperation(name: string): RegisteredOperation | undefined {
  return registry.get(name);
}

/** All operations, by name. */
export function allOperations(): readonly RegisteredOperation[] {
  return [...registry.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
