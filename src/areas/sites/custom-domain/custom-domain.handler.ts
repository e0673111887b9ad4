import { CommandHandler, QueryHandler } from '@nestjs/cqrs';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { showsAs } from '../../../engine/records/record-views.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { refuse } from '../../../kernel/refusals/refusal.js';
import { hostOf } from '../../../kernel/text/host-name.js';
import { projects } from '../project/project.record.js';
import { removeCustomDomain, setCustomDomain, txtNameOf, verifyCustomDomain } from './custom-domain.js';
import {
  type CustomDomainStatus,
  GetCustomDomainStatus,
  type ProvedCustomDomain,
  RemoveCustomDomain,
  UpdateCustomDomain,
  VerifyCustomDomain,
} from './custom-domain.operations.js';
import { type CustomDomain, customDomains } from './custom-domain.record.js';
import { CustomDomainChanges } from './custom-domain-changes.js';
import { checkDomain } from './domain-name.js';

@CommandHandler(UpdateCustomDomain)
export class UpdateCustomDomainHandler {
  private readonly own: readonly string[];

  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    { appDomain, baseUrl }: Environment,
  ) {
    this.own = ['localhost', appDomain, hostOf(new URL(baseUrl)) ?? appDomain];
  }

  async execute(input: UpdateCustomDomain): Promise<CustomDomainStatus> {
    const call = callOf(input);
    const project = await this.reads.one(call, projects, input.id);
    if (project.isApp) refuse('app-has-no-domain');
    if (!input.customDomain) refuse('custom-domain-empty');
    const checked = checkDomain(input.customDomain, this.own);
    if (!checked.ok) return refuseInput([{ path: 'customDomain', message: checked.wrong }]);
    const token = call.newToken();
    const after = await this.runner.change(call, {
      aggregate: customDomains,
      id: project.id,
      begins: 'perhaps',
      decide: (before) => setCustomDomain(before, project.id, checked.domain, token),
    });
    return statusOf(project.id, after);
  }
}

@QueryHandler(GetCustomDomainStatus)
export class GetCustomDomainStatusHandler {
  constructor(private readonly reads: Reads) {}

  async execute(input: GetCustomDomainStatus): Promise<CustomDomainStatus> {
    return statusOf(input.id, await domainOf(this.reads, callOf(input), input.id));
  }
}

@CommandHandler(VerifyCustomDomain)
export class VerifyCustomDomainHandler {
  constructor(
    private readonly reads: Reads,
    private readonly changes: CustomDomainChanges,
  ) {}

  async execute(input: VerifyCustomDomain): Promise<ProvedCustomDomain> {
    const call = callOf(input);
    const seen = (await domainOf(this.reads, call, input.id)) ?? customDomains.missing();
    const after = await this.changes.look(call, seen, verifyCustomDomain);
    return { success: after?.status === 'verified', ...statusOf(input.id, after) };
  }
}

@CommandHandler(RemoveCustomDomain)
export class RemoveCustomDomainHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
  ) {}

  async execute(input: RemoveCustomDomain): Promise<{ readonly success: true }> {
    const call = callOf(input);
    await this.reads.one(call, projects, input.id);
    await this.runner.change(call, {
      aggregate: customDomains,
      id: input.id,
      decide: (before) => removeCustomDomain(before ?? customDomains.missing()),
    });
    return { success: true };
  }
}

/** @throws Refusal when the project is not there, or not for this caller */
async function domainOf(reads: Reads, call: Call, id: string): Promise<CustomDomain | undefined> {
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

export const customDomainHandlers = [
  UpdateCustomDomainHandler,
  GetCustomDomainStatusHandler,
  VerifyCustomDomainHandler,
  RemoveCustomDomainHandler,
];
