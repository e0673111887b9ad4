import { Environment } from '../../../config/environment.js';
import { command, query } from '../../../engine/operation/bound-operation.js';
import { success, takesAwayWhen } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { recordCommand } from '../../../engine/records/record-command.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { hostOf } from '../../../kernel/text/host-name.js';
import { projects } from '../project/project.record.js';
import { refuse } from '../sites.refusals.js';
import { removeCustomDomain, setCustomDomain, txtNameOf, verifyCustomDomain } from './custom-domain.js';
import { type CustomDomain, type CustomDomainEvent, customDomains } from './custom-domain.record.js';
import { CustomDomainChanges } from './custom-domain-changes.js';
import { checkDomain } from './domain-name.js';

const declared = { source: 'Sites API, Projects and settings', group: 'domains', tools: 'granted' } as const;
const changes = { ...declared, permission: 'site.publish' } as const;
const nullableText = { type: 'string', nullable: true } as const;
const nullableTime = { ...nullableText, format: 'date-time' } as const;

class ProvingRecord {
  @Field({ type: 'string', description: 'TXT' }) type!: string;
  @Field({ type: 'string' }) name!: string;
  @Field({ type: 'string' }) value!: string;
}

class CustomDomainStatus {
  @Field({ type: 'string', description: 'The id of the project.' }) id!: string;
  @Field({ ...nullableText, description: 'The domain in lower-case ASCII.' }) customDomain!: string | null;
  @Field({ type: 'string', enum: ['none', 'pending', 'verified', 'failed'] }) status!: string;
  @Field({
    type: 'object',
    nullable: true,
    shape: () => ProvingRecord,
    description: 'The TXT record that DNS must contain.',
  })
  record!: ProvingRecord | null;
  @Field({ ...nullableText, description: 'Why the domain is not verified, or why its last check failed.' })
  problem!: string | null;
  @Field(nullableTime) checkedAt!: string | null;
  @Field(nullableTime) verifiedAt!: string | null;
}

class ProvedCustomDomain extends CustomDomainStatus {
  @Field({ type: 'boolean', description: 'Whether the domain is now verified.' }) success!: boolean;
}

async function domainOf(reads: Reads, call: OperationContext, id: string): Promise<CustomDomain | undefined> {
  await reads.one(call, projects, id);
  return reads.get<CustomDomain>(call.workspaceId, 'customDomains', id);
}

function statusOf(id: string, found: CustomDomain | undefined): CustomDomainStatus {
  const nothing = {
    customDomain: null,
    status: 'none',
    record: null,
    problem: null,
    checkedAt: null,
    verifiedAt: null,
  };
  if (found === undefined) return { id, ...nothing };
  const { domain, token, status, problem, checkedAt, verifiedAt } = found;
  const record = { type: 'TXT', name: txtNameOf(domain), value: token };
  return { id, customDomain: domain, status, record, problem, checkedAt, verifiedAt };
}

showsAs(customDomains, (found) => statusOf(found.projectId, found));

function domainFor(sent: string | undefined, { appDomain, baseUrl }: Environment): string {
  if (!sent) return refuse('custom-domain-empty');
  const checked = checkDomain(sent, ['localhost', appDomain, hostOf(new URL(baseUrl)) ?? appDomain]);
  return checked.ok ? checked.domain : refuseInput([{ path: 'customDomain', message: checked.wrong }]);
}

export const customDomainOperations = [
  recordCommand('site/updateCustomDomain', {
    ...changes,
    summary:
      "Sets a site's custom domain. It takes effect once the returned TXT record exists and verifyCustomDomain has found it.",
    takesAway: takesAwayWhen<CustomDomain | undefined, CustomDomainEvent>(
      ({ type }, before) => type === 'CustomDomainSet' && before?.status === 'verified',
    ),
    answers: { record: CustomDomainStatus },
    input: {
      id: idField,
      customDomain: {
        type: 'string',
        maxLength: 1_000,
        optional: true,
        description: 'A domain such as shop.example.com.',
      },
    },
    record: customDomains,
    id: ({ id }) => id,
    begins: 'perhaps',
    inject: [Reads, Environment],
    prepare: async ({ id, customDomain }, call, reads, environment) => {
      const { isApp } = await reads.one(call, projects, id);
      if (isApp) refuse('app-has-no-domain');
      return { projectId: id, domain: domainFor(customDomain, environment), token: call.newToken() };
    },
    decide: (before, _, __, { projectId, domain, token }) => setCustomDomain(before, projectId, domain, token),
    answer: (after, { projectId }) => statusOf(projectId, after),
  }),
  query('site/getCustomDomainStatus', {
    ...declared,
    permission: 'site.read',
    summary: "Returns a site's custom domain, the TXT record that proves it, and whether it is verified.",
    answers: { record: CustomDomainStatus },
    input: { id: idField },
    inject: [Reads],
    handle: async ({ id }, call, reads) => statusOf(id, await domainOf(reads, call, id)),
  }),
  command('site/verifyCustomDomain', {
    ...changes,
    summary:
      'Looks up the TXT record. A domain belongs to the site that proved it last, and is checked again every day.',
    answers: { record: ProvedCustomDomain },
    input: { id: idField },
    inject: [Reads, CustomDomainChanges],
    handle: async ({ id }, call, reads, domains): Promise<ProvedCustomDomain> => {
      const seen = (await domainOf(reads, call, id)) ?? customDomains.missing();
      const after = await domains.look(call, seen, verifyCustomDomain);
      return { success: after?.status === 'verified', ...statusOf(id, after) };
    },
  }),
  recordCommand('site/removeCustomDomain', {
    ...changes,
    summary: 'Removes the custom domain of a site.',
    takesAway: true,
    answers: success,
    input: { id: idField },
    record: customDomains,
    id: ({ id }) => id,
    inject: [Reads],
    prepare: ({ id }, call, reads) => reads.one(call, projects, id),
    decide: removeCustomDomain,
  }),
];
