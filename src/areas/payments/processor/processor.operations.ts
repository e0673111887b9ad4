import { Operation, success } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField, nameField } from '../../../kernel/field/plain-text.js';
import { type ManualPayments, manualPaymentChoices } from './processor-connection.record.js';

// Keys of a processor and the money of a site are a person's business.
const declared = {
  source: 'Sites API, Payment-processor connection',
  group: 'processor',
  permission: 'site.money',
  within: 'project',
  tools: 'never',
} as const;
const modes = ['test', 'live'] as const;
const units = ['day', 'week', 'month', 'year'] as const;

export class ProcessorModeRecord {
  @Field({ type: 'boolean', description: 'Whether the project keeps the secret key of this mode.' }) hasKey!: boolean;
  @Field({ type: 'boolean', description: 'Whether a webhook is registered.' }) webhook!: boolean;
}

export class ProcessorConnectionRecord {
  @Field({ type: 'boolean', description: 'Key and webhook of the present mode are there.' }) connected!: boolean;
  @Field({ type: 'string', enum: modes, description: 'In which new checkouts are opened.' }) mode!: string;
  @Field({ type: 'object', shape: () => ProcessorModeRecord }) test!: ProcessorModeRecord;
  @Field({ type: 'object', shape: () => ProcessorModeRecord }) live!: ProcessorModeRecord;
  @Field({ type: 'string', enum: manualPaymentChoices, description: 'As setManualPayments says.' })
  manualPayments!: string;
  @Field({ type: 'boolean', description: 'Whether a checkout may be paid by hand now.' }) takesManualPayments!: boolean;
  @Field({ type: 'string', format: 'date-time', nullable: true, description: 'When it last told something new.' })
  lastEventAt!: string | null;
  @Field({ type: 'string', nullable: true, description: 'Why the last call failed; null once one went well.' })
  lastError!: string | null;
}

export class ProcessorProductRecord {
  @Field({ type: 'string', description: "The processor's." }) id!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string', nullable: true }) description!: string | null;
  @Field({ type: 'boolean' }) active!: boolean;
  @Field({ type: 'integer', nullable: true, description: 'In minor units. null: it has no plain price.' })
  amount!: number | null;
  @Field({ type: 'string', nullable: true }) currency!: string | null;
  @Field({ type: 'string', enum: units, nullable: true, description: 'null: paid once.' }) interval!: string | null;
  @Field({ type: 'integer', nullable: true }) intervalCount!: number | null;
}

@Operation('site/getProcessorConnection', {
  ...declared,
  summary: 'Returns how a project is connected to its payment processor.',
  effect: 'query',
  answers: { record: ProcessorConnectionRecord },
})
export class GetProcessorConnection {
  @Field(idField) projectId!: string;
}

@Operation('site/registerProcessorWebhook', {
  ...declared,
  summary:
    'Has the processor tell the project of payments, with the secret key that it keeps; replaces an earlier one.',
  effect: 'command',
  outside: ['sends requests', 'destroys secrets'],
  answers: success,
})
export class RegisterProcessorWebhook {
  @Field(idField) projectId!: string;
  @Field({ type: 'string', enum: modes }) mode!: 'test' | 'live';
}

@Operation('site/toggleProcessorMode', {
  ...declared,
  summary:
    'Says whether new checkouts are tries or take real money. Live payments that were begun go on; what test money bought ends with `live`, and counts again in `test`.',
  effect: 'command',
  answers: {
    fields: {
      ...success.fields,
      endedEntitlements: {
        type: 'integer',
        description: 'How many users hold an entitlement no more because test money had bought it.',
      },
    },
  },
})
export class ToggleProcessorMode {
  @Field(idField) projectId!: string;
  @Field({ type: 'string', enum: modes }) mode!: 'test' | 'live';
}

@Operation('site/setManualPayments', {
  ...declared,
  source: 'Supplementary, payments',
  summary:
    'Says whether users of a site may choose to pay by hand, for an Admin to approve. Payments that are open stay so.',
  effect: 'command',
  answers: success,
})
export class SetManualPayments {
  @Field(idField) projectId!: string;
  @Field({
    type: 'string',
    enum: manualPaymentChoices,
    description: 'auto, which it is at first: while the project keeps no secret key of the payment processor.',
  })
  manualPayments!: ManualPayments;
}

@Operation('site/syncProcessorProducts', {
  ...declared,
  summary:
    'Makes the offers of a project products at the processor, or brings those up to date; deletes nothing there.',
  effect: 'command',
  outside: ['sends requests'],
  answers: success,
})
export class SyncProcessorProducts {
  @Field(idField) projectId!: string;
}

@Operation('site/listProcessorProducts', {
  ...declared,
  summary: "Lists the products at the processor, a thousand at most: also those that are none of the project's.",
  effect: 'query',
  answers: { list: ProcessorProductRecord },
})
export class ListProcessorProducts {
  @Field(idField) projectId!: string;
  @Field({ type: 'string', enum: modes, optional: true, description: 'Left out: the present one.' })
  mode?: 'test' | 'live';
}

@Operation('site/createProcessorProduct', {
  ...declared,
  summary: 'Makes a product at the processor, in the present mode. It is no offer of the project.',
  effect: 'command',
  outside: ['sends requests'],
  answers: { record: ProcessorProductRecord },
})
export class CreateProcessorProduct {
  @Field(idField) projectId!: string;
  @Field(nameField) name!: string;
  @Field({ type: 'integer', minimum: 0, maximum: 999_999_999_999, description: 'In minor units.' }) amount!: number;
  @Field({ type: 'string', maxLength: 2_000, optional: true }) description?: string;
  @Field({ type: 'string', pattern: /^[A-Za-z]{3}$/, optional: true, default: 'usd', description: 'ISO code.' })
  currency?: string;
  @Field({ type: 'string', enum: units, optional: true, description: 'Of a subscription. Left out: paid once.' })
  interval?: (typeof units)[number];
  @Field({ type: 'integer', minimum: 1, maximum: 365, optional: true, default: 1 }) intervalCount?: number;
}
