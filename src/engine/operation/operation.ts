import { type CallerKind, type Permission, permissionsOfRole } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { takesReason } from './stated-reason.js';

export type AnswerSpec =
  /** With `orNull`, the response can be null. */
  | { readonly record: Shape; readonly orNull?: true }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, FieldSpec>> };

export const success = {
  fields: { success: { type: 'boolean', description: 'Always true.' } },
} as const satisfies AnswerSpec;

/** Must be pure. */
export type EffectJudge = (event: DomainEvent, before: unknown) => boolean;

export function takesAwayWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): EffectJudge {
  return judge as EffectJudge;
}

/** What a call would record in one record. */
export interface WeighedChange {
  readonly events: readonly DomainEvent[];
  readonly before: unknown;
  /** As `Aggregate.opens`. */
  opens(): boolean;
}

/** Must be pure. */
export type RiskJudge = (change: WeighedChange) => boolean;

export function riskyWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): RiskJudge {
  const isRisky = takesAwayWhen(judge);
  return ({ events, before }) => events.some((event) => isRisky(event, before));
}

/** For operations on records that declare `doors`. */
export const opensAccess: RiskJudge = (change) => change.opens();

/**
 * Who may use an operation as a tool. `agents`: only agents whose list of tools contains it. `granted`: agents and
 * functions whose list contains it (Automations API, Rules 5).
 */
export const toolWords = ['never', 'agents', 'granted'] as const;

export type Scope = 'project';

/**
 * Effects outside the log, which later events cannot reverse. A run that an operation starts can have any effect that
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

export interface OperationSpec {
  readonly summary: string;
  /** Part of the contract that defines the operation, e.g. `Automations API, Functions`. */
  readonly source: string;
  readonly effect: 'command' | 'query';
  /** The caller needs this permission from a role or an individual grant. */
  readonly permission: Permission;
  /** Default: all kinds of caller. */
  readonly callers?: readonly CallerKind[];
  /**
   * Before the handler runs, the pipeline checks that the project `projectId` belongs to the caller's workspace
   * (otherwise 404), and that an agent or running code may use the operation there. Mandatory for every operation with
   * a required `projectId`.
   */
  readonly within?: Scope;
  /**
   * Group of operations, e.g. `pages`. A project lists the groups and the single operations that agents may use in it;
   * all others are closed to agents (settled question Q-S70).
   */
  readonly group: string;
  /**
   * `never` is for operations that only a person may call, such as those on sign-ins, agents, approvals and secrets. It
   * also covers decisions about which input from outside is accepted, and replays of such input. `agents` is for
   * operations that functions must not use, such as those that give a function capabilities: a person can approve such
   * a call of an agent, but there is no person to approve a call by a function's code.
   */
  readonly tools: (typeof toolWords)[number];
  /**
   * Set if a query's response shows links. Like a command, the query is then refused to read-only keys, and to viewers
   * who lack its permission.
   */
  readonly showsLinks?: true;
  /**
   * Set if the operation deletes, removes or revokes something, either always (`true`) or if the function returns true
   * for one of the events. Keys that never delete are then refused.
   */
  readonly takesAway?: true | EffectJudge;
  /**
   * Set if the operation shuts visitors out of a site, either always (`true`) or if the function returns true for one
   * of the events. Such events are recorded even when the daily quota is used up.
   */
  readonly shutsOut?: true | EffectJudge;
  /**
   * Set if the operation opens something to people without a sign-in, gives paid access or a discount, publishes or
   * unpublishes a site, or sends to many recipients. Also set if it deletes something and keys that never delete may
   * call it all the same. By default, agents need approval for what `risky` and `takesAway` declare.
   */
  readonly risky?: true | RiskJudge;
  /**
   * Set if some changes need approval even if a person requests them. `in parts` means that the response lists the
   * waiting parts under `waits`.
   */
  readonly gated?: true | 'in parts';
  /** Members that a response with an approval card can contain besides the card. Default: `answers`. */
  readonly waiting?: AnswerSpec;
  /** Effects outside the log. If omitted, the operation only appends to the log, so later events can reverse it. */
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

/** @throws Error if the declaration is faulty or the operation is declared twice */
export function registerOperation(name: OperationName, spec: OperationSpec, input: Shape): void {
  if (registry.has(name)) throw new Error(`The operation ${name} is declared twice.`);
  const fault = faultOf(name, spec, input);
  if (fault !== undefined) throw new Error(`The operation ${name} ${fault}`);
  if (mayWait(spec) && !takesReason(input)) {
    throw new Error(`The operation ${name} has a parameter \`reason\` of its own; rename it.`);
  }
  registry.set(name, { ...spec, name, input });
}

export const mayWait = ({ takesAway, risky, gated }: Pick<OperationSpec, 'takesAway' | 'risky' | 'gated'>): boolean =>
  takesAway !== undefined || risky !== undefined || gated !== undefined;

export function findOperation(name: string): RegisteredOperation | undefined {
  return registry.get(name);
}

export function allOperations(): readonly RegisteredOperation[] {
  return [...registry.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

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

/** Generated clients would send default values in updates and thereby change fields that the user did not set. */
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
    return `does not declare who can have it as a tool; its \`tools\` must be one of: ${toolWords.join(', ')}.`;
  }
  if (tools === 'never') return undefined;
  // Functions and agents act with the rights of an editor at most.
  if (!permissionsOfRole.editor.includes(permission)) {
    return `is a tool, but needs the right ${permission}, which no function and no agent has; its \`tools\` must be never.`;
  }
  const holders: readonly CallerKind[] = tools === 'agents' ? ['agent'] : ['agent', 'automation'];
  const shutOut = holders.filter((kind) => callers !== undefined && !callers.includes(kind));
  if (shutOut.length === 0) return undefined;
  return `is a tool (${tools}), but its \`callers\` leave out: ${shutOut.join(', ')}; change one of the two.`;
}
