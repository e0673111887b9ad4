import { type CallerKind, type Permission, permissionsOfRole } from '../../kernel/callers/caller.js';
import type { DomainEvent } from '../../kernel/event/event.js';
import { type FieldSpec, fieldsOf, type Shape } from '../../kernel/field/field.js';
import { takesReason } from './stated-reason.js';

/** What an operation answers: a record, a plain list of records, or the fields of an unnamed object. */
export type AnswerSpec =
  /** `orNull`: null where there is nothing to be answered. */
  | { readonly record: Shape; readonly orNull?: true }
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, FieldSpec>> };

export const success = {
  fields: { success: { type: 'boolean', description: 'Always true.' } },
} as const satisfies AnswerSpec;

/** Judges an event with the state before it, where the change is decided. Pure. */
export type EffectJudge = (event: DomainEvent, before: unknown) => boolean;

/** For operations that do so only sometimes; `State` and `Event` are those of what the operation changes. */
export function takesAwayWhen<State, Event extends DomainEvent>(
  judge: (event: Event, before: State) => boolean,
): EffectJudge {
  return judge as EffectJudge;
}

/** As `takesAwayWhen`, for operations that are risky only sometimes. */
export const riskyWhen: typeof takesAwayWhen = takesAwayWhen;

/**
 * Who has the operation as a tool: no function and no agent, whatever their lists say; only agents whose list names it; or
 * agents and functions whose list names it (Automations API, Rules 5).
 */
export const toolWords = ['never', 'agents', 'granted'] as const;

/** What an operation can work within, beside the workspace. */
export type Scope = 'project';

/**
 * What an operation does, or sets going, that stays done whatever the log says later. Code, and the flows and agents of a
 * started run, may do all that they are allowed to.
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
  /**
   * What its `projectId` names has to be the workspace's own: the pipeline answers 404 for any other before the handler
   * runs. Said by every operation that requires a `projectId`.
   */
  readonly within?: Scope;
  /**
   * The group that it belongs to, e.g. `pages`: what a project lets agents use is said by groups and operations (settled
   * question Q-S70), and an agent may use nothing there whose group the project leaves out.
   */
  readonly group: string;
  /**
   * `never` for what concerns sign-ins, agents, approvals and secrets, and for what decides on or repeats what came from
   * outside: that is a person's. `agents` for what gives a function powers: an agent may ask, and a card comes of it; code
   * asks nobody. `granted` for the rest.
   */
  readonly tools: (typeof toolWords)[number];
  /** A query that shows live links: refused to read-only keys and Viewers as commands are. */
  readonly showsLinks?: true;
  /** Deletes, removes or revokes, always or when it records what the judge says: refused to keys that never delete. */
  readonly takesAway?: true | EffectJudge;
  /**
   * Shuts visitors of a site out, always or when it records what the judge says. Like what takes away, it is carried out
   * when the quota of the day is used up.
   */
  readonly shutsOut?: true | EffectJudge;
  /**
   * Opens something to people without a sign-in, gives paid access or a discount, publishes or unpublishes a site, or sends
   * to many: always, or when it records what the judge says. With `takesAway`, what agents ask a person for first.
   */
  readonly risky?: true | EffectJudge;
  /**
   * A person has to approve some of its changes, also those that a person asks for. `in parts`: the answer lists what waits
   * under `waits`. Like `takesAway` and `risky`, it gives the operation the parameter `reason`.
   */
  readonly gated?: true | 'in parts';
  /** What stands beside the card. Left out: what it answers. */
  readonly waiting?: AnswerSpec;
  /** Left out, it only appends to the log, and what it appended can be answered by appending more. */
  readonly outside?: readonly (typeof outsideEffects)[number][];
  /** Its input may hold a text of megabytes. Left out: bodies have 1 MB at most. */
  readonly body?: 'large';
  readonly answers: AnswerSpec;
}

export type OperationName = `${string}/${string}`;

export interface RegisteredOperation extends OperationSpec {
  readonly name: OperationName;
  readonly input: Shape;
}

const registry = new Map<string, RegisteredOperation>();

/** Registers an operation, with the class of its request body, which is its command or query as well. */
export function registerOperation(name: OperationName, spec: OperationSpec, input: Shape): void {
  if (registry.has(name)) throw new Error(`The operation ${name} is declared twice.`);
  const fault = faultOf(name, spec, input);
  if (fault !== undefined) throw new Error(`The operation ${name} ${fault}`);
  if (mayWait(spec) && !takesReason(input)) {
    throw new Error(`The operation ${name} has a parameter \`reason\` of its own; rename it.`);
  }
  registry.set(name, { ...spec, name, input });
}

/** Whether a call may become a card, with the defaults of agents. */
export const mayWait = ({ takesAway, risky, gated }: Pick<OperationSpec, 'takesAway' | 'risky' | 'gated'>): boolean =>
  takesAway !== undefined || risky !== undefined || gated !== undefined;

export function findOperation(name: string): RegisteredOperation | undefined {
  return registry.get(name);
}

/** All operations, by name. */
export function allOperations(): readonly RegisteredOperation[] {
  return [...registry.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What a declaration says that cannot be, as the end of a sentence; undefined when all is well. */
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
  if (within === undefined && isNamed) return "requires a `projectId`; it has to say `within: 'project'`.";
  return undefined;
}

/** Clients that are generated from the document send defaults, and would change what was not meant. */
function wrongDefault(name: string, input: Shape): string | undefined {
  if (!/\/(?:update|set)[A-Z]/.test(name)) return undefined;
  const [field] = [...fieldsOf(input)].find(([, spec]) => spec.default !== undefined) ?? [];
  return (
    field && `changes what is sent, but says a default of \`${field}\`; say in its description what is done without it.`
  );
}

function wrongEffect({ effect, outside }: OperationSpec): string | undefined {
  if (effect === 'query' && outside !== undefined) {
    return 'is a query, which has no effect; it has to be a command, or to say nothing of `outside`.';
  }
  return undefined;
}

function wrongGroup({ group }: OperationSpec): string | undefined {
  if (/^[a-z]+(-[a-z]+)*$/.test(String(group))) return undefined;
  return 'has to say its `group`, in lower-case words with hyphens between them.';
}

function wrongTools({ tools, callers, permission }: OperationSpec): string | undefined {
  if (!toolWords.includes(tools)) {
    return `does not say who has it as a tool; its \`tools\` has to be one of: ${toolWords.join(', ')}.`;
  }
  if (tools === 'never') return undefined;
  // Functions and agents act with an Editor's rights at most.
  if (!permissionsOfRole.editor.includes(permission)) {
    return `is a tool, but needs the right ${permission}, which no function and no agent has; its \`tools\` has to be never.`;
  }
  const holders: readonly CallerKind[] = tools === 'agents' ? ['agent'] : ['agent', 'automation'];
  const shutOut = holders.filter((kind) => callers !== undefined && !callers.includes(kind));
  if (shutOut.length === 0) return undefined;
  return `is a tool (${tools}), but its \`callers\` leave out: ${shutOut.join(', ')}; change one of the two.`;
}
