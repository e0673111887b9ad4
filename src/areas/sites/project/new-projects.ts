import { Injectable } from '@nestjs/common';
import { Environment } from '../../../config/environment.js';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { alongside } from '../../../engine/commands/related-changes.js';
import type { RequestedName } from '../../../engine/commands/reservation-requests.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { bases } from '../../bases/base/base.record.js';
import { termsOf } from '../../workspace/workspace/workspace-settings.api.js';
import { firstPage, slotsOfFirstPage } from '../page/first-page.api.js';
import { pages } from '../page/page.record.js';
import { refuse } from '../sites.refusals.js';
import { addressesFor, createProject, type ProjectInput } from './project.js';
import { appSlug, type Project, projectSubdomain, projects } from './project.record.js';
import { type ProjectSlotRequest, takeSlot } from './project-slots.js';
import { projectSlots } from './project-slots.record.js';

/** Projects are created within this time after their slot was reserved. An older slot without a project is unused. */
const settlesWithinMs = 60_000;

@Injectable()
export class NewProjects {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly environment: Environment,
  ) {}

  async create(call: OperationContext, input: ProjectInput): Promise<Project> {
    const id = call.newId('proj');
    const addresses = addressesFor(input.name, call.newToken());
    const slot = await this.slotFor(call, id, input.isApp ?? false);
    return this.withinPlan(call, slot, (planned) =>
      this.withFreeAddress(addresses, (address) => this.record(call, id, input, address, planned)),
    );
  }

  private async withinPlan(
    call: OperationContext,
    slot: ProjectSlotRequest,
    create: (slot: ProjectSlotRequest) => Promise<Project>,
  ) {
    try {
      return await create(slot);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'plan-limit') throw error;
      const unused = await this.unusedSlots(call);
      if (unused.length === 0) throw error;
      return create({ ...slot, unused });
    }
  }

  private record(call: OperationContext, id: string, input: ProjectInput, address: string, slot: ProjectSlotRequest) {
    const baseId = call.newId('base');
    const pageId = call.newId('page');
    const page = firstPage(id, input.name);
    return this.runner.change(call, {
      aggregate: projects,
      id,
      begins: true,
      decide: () => createProject(input, address, baseId),
      reserves: () => [addressOf(call.workspaceId, id, address, input.isApp ?? false)],
      slots: () => slotsOfFirstPage(call.workspaceId, pageId, page),
      alongside: () => [
        alongside({ aggregate: pages, id: pageId, decide: (home) => (home ? [] : page) }),
        alongside({ aggregate: projectSlots, id: call.workspaceId, decide: (slots) => takeSlot(slots, slot) }),
        alongside({
          aggregate: bases,
          id: baseId,
          decide: (base) =>
            base
              ? []
              : [{ type: 'BaseCreated' as const, data: { name: input.name, description: null, projectId: id } }],
        }),
      ],
    });
  }

  private async withFreeAddress(
    addresses: readonly string[],
    create: (address: string) => Promise<Project | undefined>,
  ): Promise<Project> {
    for (const [index, address] of addresses.entries()) {
      try {
        return (await create(address)) ?? projects.missing();
      } catch (error) {
        const isTaken = error instanceof Refusal && error.code === 'subdomain-taken';
        if (!isTaken || index === addresses.length - 1) throw error;
      }
    }
    return projects.missing();
  }

  private async slotFor(
    { workspaceId }: OperationContext,
    projectId: string,
    isApp: boolean,
  ): Promise<ProjectSlotRequest> {
    const { plan } = await termsOf(this.reads, workspaceId);
    const { upgradeUrl } = this.environment;
    return { projectId, isApp, plan, unused: [], upgradeUrl };
  }

  /**
   * A crash can interrupt an append to several streams and leave a slot without a project. The log is read, because the
   * read model may lag behind or have quarantined the project.
   */
  private async unusedSlots({ workspaceId, at }: OperationContext): Promise<readonly string[]> {
    const slots = await this.runner.find(projectSlots, workspaceId, workspaceId);
    const settled = Object.entries(slots?.taken ?? {}).flatMap(([id, taken]) =>
      Date.parse(at) - Date.parse(taken.at) > settlesWithinMs ? [id] : [],
    );
    const shown = await this.reads.find<Project>(workspaceId, 'projects', { where: { id: { in: settled } } });
    const known = new Set(shown.map(({ id }) => id));
    const unused: string[] = [];
    for (const id of settled.filter((one) => !known.has(one))) {
      if (!(await this.isRecorded(workspaceId, id))) unused.push(id);
    }
    return unused;
  }

  private async isRecorded(workspaceId: string, id: string): Promise<boolean> {
    try {
      return (await this.runner.find(projects, workspaceId, id)) !== undefined;
    } catch (error) {
      // A refusal means that the project exists but cannot be read.
      if (error instanceof Refusal) return true;
      throw error;
    }
  }
}

function addressOf(workspaceId: string, id: string, address: string, isApp: boolean): RequestedName {
  const holder = streamOf(projects.category, workspaceId, id);
  return {
    reservation: isApp ? appSlug(address, holder) : projectSubdomain(address, holder),
    taken: () => refuse('subdomain-taken', { subdomain: address }),
  };
}
