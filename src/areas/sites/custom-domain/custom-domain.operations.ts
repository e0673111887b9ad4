import { Operation, success, takesAwayWhen } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { CustomDomain, CustomDomainEvent } from './custom-domain.record.js';

const source = 'Sites API, Projects and settings';
const group = 'domains';
const nullableText = { type: 'string', nullable: true } as const;
const nullableTime = { ...nullableText, format: 'date-time' } as const;

export class ProvingRecord {
  @Field({ type: 'string', description: 'TXT' }) type!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) value!: string;
}

export class CustomDomainStatus {
  @Field({ type: 'string', description: 'Of the project.' }) id!: string;
  @Field({ ...nullableText, description: 'In lower-case ASCII.' }) customDomain!: string | null;
  @Field({ type: 'string', enum: ['none', 'pending', 'verified', 'failed'] }) status!: string;
  @Field({ type: 'object', nullable: true, shape: () => ProvingRecord, description: 'What DNS has to hold.' })
  record!: ProvingRecord | null;
  @Field({ ...nullableText, description: 'Why it is not verified, or could not be proved again.' })
  problem!: string | null;
  @Field(nullableTime) checkedAt!: string | null;
  @Field(nullableTime) verifiedAt!: string | null;
}

/** The answer of `verifyCustomDomain`. */
export class ProvedCustomDomain extends CustomDomainStatus {
  @Field({ type: 'boolean', description: 'Whether it is verified now.' }) success!: boolean;
}

@Operation('site/updateCustomDomain', {
  summary:
    "Sets a site's custom domain, which it has when the answered TXT record is there and verifyCustomDomain found it.",
  source,
  group,
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  takesAway: takesAwayWhen<CustomDomain | undefined, CustomDomainEvent>(
    ({ type }, before) => type === 'CustomDomainSet' && before?.status === 'verified',
  ),
  answers: { record: CustomDomainStatus },
})
export class UpdateCustomDomain {
  @Field(idField) id!: string;
  @Field({ type: 'string', maxLength: 1_000, optional: true, description: 'Such as shop.example.com.' })
  customDomain?: string;
}

@Operation('site/getCustomDomainStatus', {
  summary: "Returns a site's custom domain, what proves it, and whether it is proved.",
  source,
  group,
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: { record: CustomDomainStatus },
})
export class GetCustomDomainStatus {
  @Field(idField) id!: string;
}

@Operation('site/verifyCustomDomain', {
  summary: 'Looks for the TXT record: a domain belongs to the site that proved it last, and is proved again every day.',
  source,
  group,
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  answers: { record: ProvedCustomDomain },
})
export class VerifyCustomDomain {
  @Field(idField) id!: string;
}

@Operation('site/removeCustomDomain', {
  summary: 'Takes the custom domain off a site.',
  source,
  group,
  effect: 'command',
  permission: 'site.publish',
  tools: 'granted',
  takesAway: true,
  answers: success,
})
export class RemoveCustomDomain {
  @Field(idField) id!: string;
}
