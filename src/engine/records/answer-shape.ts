import { type FieldSpec, type FieldSpecs, shapeOf } from '../../kernel/field/field.js';
import type { NounFields } from '../../kernel/noun/noun-field.js';
import { answerSpecs, specsInOrder } from '../../kernel/noun/noun-specs.js';

const date = { type: 'string', format: 'date-time' } as const;

export interface AnswerOf {
  readonly called: string;
  readonly id?: string;
  readonly also?: Readonly<Record<string, FieldSpec>>;
  /** Order of the fields in the API documents. Default: the order in which the fields are declared. */
  readonly order?: readonly string[];
  /** Date fields of the response. Default: `createdAt`. */
  readonly dates?: readonly ('createdAt' | 'updatedAt')[];
}

export function answerShape(
  fields: NounFields,
  { called, id, also, order, dates = ['createdAt'] }: AnswerOf,
  isKeyed: boolean,
): new () => object {
  return shapeOf(called, {
    ...(isKeyed ? {} : { id: { type: 'string', ...(id && { description: id }) } as const }),
    ...specsInOrder({ ...answerSpecs(fields), ...also }, order),
    ...Object.fromEntries(dates.map((one) => [one, date])),
  });
}

export function extended(shape: new () => object, called: string, also: FieldSpecs): new () => object {
  const more = shapeOf(called, also);
  Object.setPrototypeOf(more, shape);
  return more;
}
