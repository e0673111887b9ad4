import { type CallerKind, type Permission, permissionsOfRole } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { takesReason } from './stated-reason.js';

/**
 * Form of an operation's response: a record, a list of records without an envelope, or an object with the given fields.
 */
export type AnswerSpec =
  /** `orNull` means that the response may be null. */
  | { readonly record: Shape; readonly orNull?: true }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, FieldSpec>> };

export const success = {
  fields: { success: { type: 'boolean', description: 'Always true.' } },
} as const satisfies AnswerSpec;

/**
 * Decides from an event and the state before it whether the operation had an effect, e.g. deleted something. Must be
 * pure.
 */
export type EffectJudge = (event: DomainEvent, before: unknown) => boolean;

/**
 * Builds `takesAway` for an operation that deletes only in some cases. `State` and `Event` are those of the changed
 * record.
 */
export function takesAwayWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): EffectJudge {
  return judge as EffectJudge;
}

/** Builds `risky` for an operation that is risky only in some cases, as `takesAwayWhen` builds `takesAway`. */
export const riskyWhen: typeof takesAwayWhen = takesAwayWhen;

/**
 * Which functions and agents can have the operation as a tool. With `never`, none can. With `agents`, agents whose list
 * of tools contains it. With `granted`, agents and functions whose list contains it (Automations API, Rules 5).
 */
export const toolWords = ['never', 'agents', 'granted'] as const;

/** The part of a workspace to which an operation can be restricted. */
export type Scope = 'project';

/**
 * Effects outside the log, which later events cannot reverse. A run that an operation starts may have any effect that
 * its code is allowed to have.
 */
export const outsideEffects = [
  'runs code',
  'starts runs',
  'asks a language model',
  'sends requests',
  'logs in to a mail server',
  'sends mail',
  'destroys secrets',
  'destroys kept mail',
  'destroys rows for good',
] as const;

/** Declaration of an operation for the pipeline and the API documents. */
export interface OperationSpec {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Part of the contract that defines the operation, e.g. `Automations API, Functions`. */
  readonly source: string;
  readonly effect: 'command' | 'query';
  /** The permission that the caller needs, from a role or an individual grant. */
  readonly permission: Permission;
  /** Kinds of caller that may use it. Default: all. */
  readonly callers?: readonly CallerKind[];
  /**
   * Before the handler runs, the pipeline checks that the project `projectId` belongs to the caller's workspace
   * (otherwise 404), and that an agent or running code may use the operation there. Mandatory for every operation with
   * a required `projectId`.
   */
  readonly within?: Scope;
  /**
   * Group of the operation, e.g. `pages`. A project lists the groups and operations that agents may use; all others are
   * closed to them (settled question Q-S70).
   */
  readonly group: string;
  /**
   * Which functions and agents can have the operation as a tool. `never` is for work that only a person may do:
   * sign-ins, agents, approvals and secrets, and decisions about outside input or its repetition. `agents` is for
   * operations that give a function powers (capabilities that need approval): an agent's call becomes an approval card,
   * but a function's code has no one to approve it. `granted` is for all other operations.
   */
  readonly tools: (typeof toolWords)[number];
  /** Marks a query that shows live links. Read-only keys may not call it, nor may viewers who lack its permission. */
  readonly showsLinks?: true;
  /**
   * Set if the operation deletes, removes or revokes something, either always (`true`) or if the function returns true
   * for one of its events. Keys that never delete are then refused.
   */
  readonly takesAway?: true | EffectJudge;
  /**
   * Set if the operation shuts visitors out of a site, either always (`true`) or if the function returns true for its
   * events. Allowed even when the daily quota is used up.
   */
  readonly shutsOut?: true | EffectJudge;
  /**
   * Set if the operation opens something to people without a sign-in, gives paid access or a discount, publishes or
   * unpublishes a site, or sends to many recipients, either always (`true`) or if the function returns true for one of
   * its events. By default, agents need approval for what `risky` and `takesAway` declare.
   */
  readonly risky?: true | EffectJudge;
  /**
   * Set if some changes of the operation need approval even if a person requests them. `in parts` means that the
   * response lists the waiting parts under `waits`. The operation gets the parameter `reason`, as with `takesAway` and
   * `risky`.
   */
  readonly gated?: true | 'in parts';
  /** Form of the record in a response that contains an approval card. Default: the form in `answers`. */
  readonly waiting?: AnswerSpec;
  /** Effects outside the log. Omitted if the operation only appends to the log, so that later events can reverse it. */
  readonly outside?: readonly (typeof outsideEffects)[number][];
  /** Set if the request body may contain megabytes of text. By default, bodies are limited to 1 MB. */
  readonly body?: 'large';
  readonly answers: AnswerSpec;
}

export type OperationName = `${string}/${string}`;

export interface RegisteredOperation extends OperationSpec {
  readonly name: OperationName;
  readonly input: Shape;
}

const registry = new Map<string, RegisteredOperation>();

/**
 * Registers an operation with the class of its request body. Instances of this class are also the command or query that
 * the bus dispatches.
 * @throws Error if the declaration is faulty or the operation is declared twice
 */
export function registerOperation(name: OperationName, spec: OperationSpec, input: Shape): void {
  if (registry.has(name)) throw new Error(`The operation ${name} is declared twice.`);
  const fault = faultOf(name, spec, input);
  if (fault !== undefined) throw new Error(`The operation ${name} ${fault}`);
  if (mayWait(spec) && !takesReason(input)) {
    throw new Error(`The operation ${name} has a parameter \`reason\` of its own; rename it.`);
  }
  registry.set(name, { ...spec, name, input });
}

/** Whether a call may become an approval card, given the default settings of agents. */
export const mayWait = ({ takesAway, risky, gated }: Pick<OperationSpec, 'takesAway' | 'risky' | 'gated'>): boolean =>
  takesAway !== undefined || risky !== undefined || gated !== undefined;

export function findOperation(name: string): RegisteredOperation | undefined {
  return registry.get(name);
}

export function allOperations(): readonly RegisteredOperation[] {
  return [...registry.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the fault in a declaration as the end of a sentence, or undefined if there is no fault. */
function faultOf(name: string, spec: OperationSpec, input: Shape): string | undefined {
  return (
    wrongScope(spec, input) ?? wrongDefault(name, input) ?? wrongEffect(spec) ?? wrongTools(spec) ?? wrongGroup(spec)
  );
}

function wrongScope({ within }: OperationSpec, input: Shape): string | undefined {
  const projectId = fieldsOf(input).get('projectId');
  const isNamed = projectId?.type === 'string' && !projectId.optional && !projectId.nullable;
  if (within === 'project' && !isNamed) {
    return 'works within a project, but does not require a `projectId`; add the field, or leave `within` out.';
  }
  if (within === undefined && isNamed) return "requires a `projectId`; it must declare `within: 'project'`.";
  return undefined;
}

/**
 * Rejects default values in updates. Generated clients would send them and thereby change fields that the user did not
 * set.
 */
function wrongDefault(name: string, input: Shape): string | undefined {
  if (!/\/(?:update|set)[A-Z]/.test(name)) return undefined;
  const [field] = [...fieldsOf(input)].find(([, spec]) => spec.default !== undefined) ?? [];
  return (
    field &&
    `changes only the fields sent, but declares a default of \`${field}\`; describe what happens without it instead.`
  );
}

function wrongEffect({ effect, outside }: OperationSpec): string | undefined {
  if (effect === 'query' && outside !== undefined) {
    return 'is a query, which has no effect; make it a command, or leave `outside` out.';
  }
  return undefined;
}

function wrongGroup({ group }: OperationSpec): string | undefined {
  if (/^[a-z]+(-[a-z]+)*$/.test(String(group))) return undefined;
  return 'must declare its `group` in lower-case words with hyphens between them.';
}

function wrongTools({ tools, callers, permission }: OperationSpec): string | undefined {
  if (!toolWords.includes(tools)) {
    return `does not declare who can have it as a tool; its \`tools\` has to be one of: ${toolWords.join(', ')}.`;
  }
  if (tools === 'never') return undefined;
  // Functions and agents act with the rights of an editor at most.
  if (!permissionsOfRole.editor.includes(permission)) {
    return `is a tool, but needs the right ${permission}, which no function and no agent has; its \`tools\` has to be never.`;
  }
  const holders: readonly CallerKind[] = tools === 'agents' ? ['agent'] : ['agent', 'automation'];
  const shutOut = holders.filter((kind) => callers !== undefined && !callers.includes(kind));
  if (shutOut.length === 0) return undefined;
  return `is a tool (${tools}), but its \`callers\` leave out: ${shutOut.join(', ')}; change one of the two.`;
}
