import { CommandHandler } from '@nestjs/cqrs';
import { Environment } from '../../../config/environment.js';
import { alongside } from '../../../engine/alongside.js';
import { CommandRunner, type WantedName } from '../../../engine/command-runner.js';
import { type Call, callOf } from '../../../engine/operation/call.js';
import { Reads } from '../../../engine/reads.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { streamOf } from '../../../kernel/stream-name.js';
import { bases } from '../../bases/base/base.record.js';
import type { Workspace } from '../../workspace/workspace/workspace.record.js';
import { firstPage, placesOfFirstPage } from '../page/first-page.api.js';
import { pages } from '../page/page.record.js';
import { addressesFor, createProject } from './project.js';
import { CreateProject, type ProjectRow } from './project.operations.js';
import { appSlug, type Project, projectSubdomain, projects } from './project.record.js';
import { type SlotWanted, takeSlot } from './project-slots.js';
import { type ProjectSlots, projectSlots } from './project-slots.record.js';
import { ProjectView } from './project-view.js';

/** A project whose slot was taken is recorded within this time, or never. */
const settlesWithinMs = 60_000;

/** Tries addresses until one is free, and records the project, its base and its slot together. */
@CommandHandler(CreateProject)
export class CreateProjectHandler {
  constructor(
    private readonly runner: CommandRunner,
    private readonly reads: Reads,
    private readonly view: ProjectView,
    private readonly environment: Environment,
  ) {}

  async execute(input: CreateProject): Promise<ProjectRow> {
    const call = callOf(input);
    const id = call.newId('proj');
    const slot = await this.slotFor(call, id, input.isApp ?? false);
    const project = await this.withFreeAddress(addressesFor(input.name, call.newToken()), (address) =>
      this.create(call, id, input, address, slot),
    );
    return this.view.row(project);
  }

  private create(call: Call, id: string, input: CreateProject, address: string, slot: SlotWanted) {
    const baseId = call.newId('base');
    const pageId = call.newId('page');
    const page = firstPage(id, input.name);
    return this.runner.change(call, {
      aggregate: projects,
      id,
      begins: true,
      decide: () => createProject(input, address, baseId),
      reserves: () => [addressOf(call.workspaceId, id, address, input.isApp ?? false)],
      places: () => placesOfFirstPage(call.workspaceId, pageId, page),
      alongside: () => [
        alongside({ aggregate: pages, id: pageId, decide: (home) => (home ? [] : page) }),
        alongside({ aggregate: projectSlots, id: call.workspaceId, decide: (slots) => takeSlot(slots, slot) }),
        alongside({
          aggregate: bases,
          id: baseId,
          decide: (base) =>
            base ? [] : [{ type: 'BaseCreated', data: { name: input.name, description: null, projectId: id } }],
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

  /** Slots of projects that a crash kept from being recorded are given back, so that they count no longer. */
  private async slotFor({ workspaceId, at }: Call, projectId: string, isApp: boolean): Promise<SlotWanted> {
    const workspace = await this.reads.get<Workspace>(workspaceId, 'workspaces', workspaceId);
    const slots = await this.reads.get<ProjectSlots>(workspaceId, 'projectSlots', workspaceId);
    const known = new Set((await this.reads.find<Project>(workspaceId, 'projects')).map(({ id }) => id));
    const unused = Object.entries(slots?.taken ?? {}).filter(
      ([id, taken]) => !known.has(id) && Date.parse(at) - Date.parse(taken.at) > settlesWithinMs,
    );
    return {
      projectId,
      isApp,
      plan: workspace?.plan ?? 'free',
      unused: unused.map(([id]) => id),
      upgradeUrl: this.environment.upgradeUrl,
    };
  }
}

function addressOf(workspaceId: string, id: string, address: string, isApp: boolean): WantedName {
  const holder = streamOf(projects.category, workspaceId, id);
  return {
    reservation: isApp ? appSlug(address, holder) : projectSubdomain(address, holder),
    taken: () => refuse('subdomain-taken', { subdomain: address }),
  };
}
