import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { isTextRef, referTo, type Text } from '../../../kernel/text/text.js';
import { Blobs } from '../../../ports/blobs.port.js';
import {
  Packages,
  PackagesUnresolvable,
  RegistryUnavailable,
  type ResolvedPackage,
} from '../../../ports/network/packages.port.js';
import { projects } from '../project/project.record.js';
import type { Dependencies } from '../project/settings/project-settings.record.js';
import { refuse } from '../sites.refusals.js';
import { packageBlob } from './package-blobs.api.js';

/** Archives are stored before the lock is recorded, so a lock never names an archive that is not stored. */
@Injectable()
export class DependencyBundles {
  constructor(
    private readonly runner: CommandRunner,
    private readonly packages: Packages,
    private readonly blobs: Blobs,
  ) {}

  async bundle(call: OperationContext, id: string): Promise<readonly ResolvedPackage[]> {
    const { workspaceId } = call;
    const { dependencies } = (await this.runner.find(projects, workspaceId, id)) ?? projects.missing();
    const packages = await this.fetched(workspaceId, dependencies);
    const lock = JSON.stringify(packages);
    const locked = { dependencies, packageCount: packages.length, lock };
    await this.runner.change(call, {
      aggregate: projects,
      id,
      decide: (project) =>
        project?.locked && digestOf(project.locked.lock) === digestOf(lock) && isSame(project.locked, locked)
          ? []
          : [{ type: 'ProjectDependenciesLocked' as const, data: { locked } }],
    });
    return packages;
  }

  private async fetched(workspaceId: string, dependencies: Dependencies): Promise<readonly ResolvedPackage[]> {
    if (Object.keys(dependencies).length === 0) return [];
    try {
      return await this.packages.fetch({
        workspaceId,
        dependencies,
        store: (integrity, archive) => this.blobs.put(packageBlob(workspaceId, integrity), archive),
      });
    } catch (error) {
      if (error instanceof RegistryUnavailable) refuse('registry-away', { why: error.message });
      if (error instanceof PackagesUnresolvable) refuse('dependencies-unresolvable', { why: error.message });
      throw error;
    }
  }
}

const digestOf = (text: Text) => (isTextRef(text) ? text.digest : referTo(text).digest);
const isSame = (one: { readonly dependencies: Dependencies }, other: { readonly dependencies: Dependencies }) =>
  JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies);
