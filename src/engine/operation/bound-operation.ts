import { Inject, type Type } from '@nestjs/common';
import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { type FieldSpecs, type Shape, shapeOf, type ValuesOf } from '../../kernel/field/field.js';
import { type OperationName, type OperationSpec, registerOperation } from './operation.js';
import { contextOf, type OperationContext } from './operation-context.js';
import { PendingApproval } from './pending-approval.js';
import { cutAnswer } from './shown.js';

export type InputSpec = FieldSpecs | Shape;
export type InputOf<Input> = Input extends new () => infer Body ? Body : ValuesOf<Input>;

export type Tokens = readonly (abstract new (...args: never) => unknown)[];
export type Provided<Asked extends Tokens> = {
  -readonly [At in keyof Asked]: Asked[At] extends abstract new (...args: never) => infer One ? One : never;
};

interface Declared<Input extends InputSpec, Asked extends Tokens> extends Omit<OperationSpec, 'effect'> {
  readonly input: Input;
  /** Default: the operation's name, e.g. `CreateCoupon`. */
  readonly inputName?: string;
  readonly inject?: Asked;
}

interface Bound<Input extends InputSpec, Asked extends Tokens> extends Declared<Input, Asked> {
  /**
   * Members of the result that the operation does not declare are removed.
   * @throws Refusal
   */
  handle(input: InputOf<Input>, call: OperationContext, ...provided: Provided<Asked>): Promise<unknown>;
}

export function command<const Input extends InputSpec, const Asked extends Tokens = readonly []>(
  name: OperationName,
  declared: Bound<Input, Asked>,
): Type<object> {
  return bound(CommandHandler, name, 'command', declared);
}

export function query<const Input extends InputSpec, const Asked extends Tokens = readonly []>(
  name: OperationName,
  declared: Bound<Input, Asked>,
): Type<object> {
  return bound(QueryHandler, name, 'query', declared);
}

function bound<Input extends InputSpec, Asked extends Tokens>(
  decorator: typeof CommandHandler | typeof QueryHandler,
  name: OperationName,
  effect: 'command' | 'query',
  { input, inputName = inputNameOf(name), inject, handle, ...spec }: Bound<Input, Asked>,
): Type<object> {
  const shape: Shape = isShape(input) ? input : shapeOf(inputName, input);
  registerOperation(name, { ...spec, effect }, shape);

  class Handler {
    private readonly provided: Provided<Asked>;

    constructor(...provided: Provided<Asked>) {
      this.provided = provided;
    }

    async execute(message: InputOf<Input>): Promise<unknown> {
      const answer = await handle(message, contextOf(message as object), ...this.provided);
      if (!(answer instanceof PendingApproval)) return cutAnswer(spec.answers, answer);
      return new PendingApproval(answer.card, cutAnswer(spec.waiting ?? spec.answers, answer.answer));
    }
  }
  for (const [at, token] of (inject ?? []).entries()) Inject(token)(Handler, undefined, at);
  decorator(shape)(Handler);
  Object.defineProperty(Handler, 'name', { value: `${shape.name}Handler` });
  return Handler as unknown as Type<object>;
}

const isShape = (input: InputSpec): input is Shape => typeof input === 'function';

function inputNameOf(operation: OperationName): string {
  const name = operation.slice(operation.indexOf('/') + 1);
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
