import { Injectable, type OnModuleInit } from '@nestjs/common';
import { findOperation } from '../../../engine/operation/operation.js';
import type { OperationContext } from '../../../engine/operation/operation-context.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { type ScopeHandler, Scopes } from '../../../engine/scopes/scopes.js';
import { refuse } from '../sites.refusals.js';
import { type Project, projects } from './project.record.js';
import { aiPermissionFor } from './settings/ai-permissions.js';

@Injectable()
export class ProjectScope implements ScopeHandler, OnModuleInit {
  constructor(
    private readonly scopes: Scopes,
    private readonly reads: Reads,
  ) {}

  onModuleInit(): void {
    this.scopes.register('project', this);
  }

  async admit(call: OperationContext, id: string): Promise<void> {
    const { caller } = call;
    const granted = caller?.reach?.sites.find(({ projectId }) => projectId === id);
    if (caller?.reach !== undefined && granted === undefined) refuse('site-not-granted', { name: caller.name });
    const project = (await this.reads.get<Project>(call.workspaceId, 'projects', id)) ?? projects.missing();
    if (granted?.access === 'read' && isCommand(call)) refuse('site-read-only', { site: project.name });
    if (caller?.kind !== 'agent') return;
    const required = aiPermissionFor(call.operation, project.aiPermissions);
    if (required !== undefined) refuse('ai-permission-missing', { operation: call.operation, key: required });
  }

  async openTo({ workspaceId, operation, caller }: OperationContext): Promise<ReadonlySet<string>> {
    if (caller?.reach !== undefined) return new Set(caller.reach.sites.map(({ projectId }) => projectId));
    const found = await this.reads.find<Project>(workspaceId, 'projects');
    const open = found.filter(({ aiPermissions }) => aiPermissionFor(operation, aiPermissions) === undefined);
    return new Set(open.map(({ id }) => id));
  }
}

const isCommand = ({ operation, judgedAs = operation }: OperationContext) =>
  findOperation(judgedAs)?.effect === 'command';
