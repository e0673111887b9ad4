import { type CallerKind, type Permission, permissionsOfRole } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { takesReason } from './stated-reason.js';

/** Form of an operation's response: a record, a plain list of records, or the fields of an unnamed object. */
export type AnswerSpec =
  /** `orNull` means that the response may be null. */
  | { readonly record: Shape; readonly orNull?: true }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, FieldSpec>> };

export const success = {
  fields: { success: { type: 'boolean', description: 'Always true.' } },
} as const satisfies AnswerSpec;

/** Decides from an event, and the state before it, whether an operation had an effect such as deleting. Pure. */
export type EffectJudge = (event: DomainEvent, before: unknown) => boolean;

/**
 * Declares `takesAway` for operations that delete only sometimes. `State` and `Event` are those of the changed record.
 */
export function takesAwayWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): EffectJudge {
  return judge as EffectJudge;
}

/** Like `takesAwayWhen`, for operations that are risky only sometimes. */
export const riskyWhen: typeof takesAwayWhen = takesAwayWhen;

/**
 * Who can have the operation as a tool. `never`: no function or agent. `agents`: agents whose list names it. `granted`:
 * agents and functions whose list names it (Automations API, Rules 5).
 */
export const toolWords = ['never', 'agents', 'granted'] as const;

/** The part of a workspace to which an operation can be limited. */
export type Scope = 'project';

/**
 * Effects outside the log, which later events cannot reverse. Code, flows and agents of a started run may do everything
 * that they are allowed to.
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

/** Declaration of an operation for the pipeline and the API documents. Defaults are the most restrictive. */
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
   * Requires that the project of `projectId` belongs to the workspace; otherwise the pipeline responds 404 before the
   * handler runs. Required for every operation with a required `projectId`.
   */
  readonly within?: Scope;
  /**
   * Group of the operation, e.g. `pages`. A project allows operations to agents by group or by name; agents may use
   * nothing in a group that the project leaves out (settled question Q-S70).
   */
  readonly group: string;
  /**
   * Who can have the operation as a tool. `never` for sign-ins, agents, approvals and secrets, and for decisions about
   * or repetitions of outside input, because a person does those. `agents` for giving a function powers: an agent's
   * call becomes a card, but code has no one to approve its calls. `granted` for the rest.
   */
  readonly tools: (typeof toolWords)[number];
  /** Marks a query that shows live links. Read-only keys and viewers are refused, as for commands. */
  readonly showsLinks?: true;
  /**
   * Set if it deletes, removes or revokes something: always (`true`), or when the function returns true. Refused to
   * keys that never delete.
   */
  readonly takesAway?: true | EffectJudge;
  /**
   * Set if it shuts visitors out of a site: always (`true`), or when the function returns true. Allowed even when the
   * daily quota is used up.
   */
  readonly shutsOut?: true | EffectJudge;
  /**
   * Set if it opens something to people without a sign-in, gives paid access or a discount, publishes or unpublishes a
   * site, or sends to many: always (`true`), or when the function returns true. Agents need approval for `risky` and
   * `takesAway`.
   */
  readonly risky?: true | EffectJudge;
  /**
   * Set if some of its changes need approval even when a person requests them. `in parts` means that the response lists
   * the waiting parts under `waits`. Like `takesAway` and `risky`, it adds the parameter `reason`.
   */
  readonly gated?: true | 'in parts';
  /** Form of the record in a response with an approval card. Default: the form in `answers`. */
  readonly waiting?: AnswerSpec;
  /** Effects outside the log. Omitted if it only appends to the log, so that later events can reverse it. */
  readonly outside?: readonly (typeof outsideEffects)[number][];
  /** Set if its input may contain megabytes of text. By default, bodies are limited to 1 MB. */
  readonly body?: 'large';
  readonly answers: AnswerSpec;
}

export type OperationName = `${string}/${string}`;

export interface RegisteredOperation extends OperationSpec {
  readonly name: OperationName;
  readonly input: Shape;
}

const registry = new Map<string, RegisteredOperation>();

/** Registers an operation with the class of its request body, which is also its command or query class. */
export function registerOperation(name: OperationName, spec: OperationSpec, input: Shape): void {
  if (registry.has(name)) throw new Error(`The operation ${name} is declared twice.`);
  const fault = faultOf(name, spec, input);
  if (fault !== undefined) throw new Error(`The operation ${name} ${fault}`);
  if (mayWait(spec) && !takesReason(input)) {
    throw new Error(`The operation ${name} has a parameter \`reason\` of its own; rename it.`);
  }
  registry.set(name, { ...spec, name, input });
}

/** Whether a call may become an approval card under the default settings of agents. */
export const mayWait = ({ takesAway, risky, gated }: Pick<OperationSpec, 'takesAway' | 'risky' | 'gated'>): boolean =>
  takesAway !== undefined || risky !== undefined || gated !== undefined;

export function findOperation(name: string): RegisteredOperation | undefined {
  return registry.get(name);
}

export function allOperations(): readonly RegisteredOperation[] {
  return [...registry.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the fault in a declaration as the end of a sentence, or undefined if there is none. */
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

/** Refuses defaults in updates: generated clients send them, and would change fields that the user did not set. */
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
