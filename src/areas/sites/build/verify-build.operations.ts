import { query } from '../../../engine/operation/bound-operation.js';
import { Reads } from '../../../engine/scopes/reads.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import type { Component } from '../component/component.record.js';
import type { Page } from '../page/page.record.js';
import { projects } from '../project/project.record.js';
import { BuildChecks } from './build-checks.api.js';
import { type WarningKind, warningKinds } from './source-warnings.js';

const mostWarnings = 1_000;

class BuildWarning {
  @Field({ type: 'string', description: 'Path of the file, such as `pages/index.tsx` or `components/Hero.tsx`.' })
  file!: string;
  @Field({ type: 'integer', description: 'Line number, counted from 1.' }) line!: number;
  @Field({ type: 'string', enum: warningKinds }) kind!: WarningKind;
  @Field({ type: 'string' }) message!: string;
}

class BuildCheck {
  @Field({ type: 'boolean', description: 'Whether the project can be published. false if there is an error.' })
  ok!: boolean;
  @Field({ type: 'array', items: () => BuildWarning }) warnings!: readonly BuildWarning[];
}

export const verifyBuildOperations = [
  query('site/verifyBuild', {
    summary: 'Checks all pages and components of a project without building them.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.read',
    within: 'project',
    tools: 'granted',
    answers: { record: BuildCheck },
    input: { projectId: idField },
    inject: [Reads, BuildChecks],
    handle: async ({ projectId }, call, reads, checks): Promise<BuildCheck> => {
      const { workspaceId } = call;
      const project = await reads.one(call, projects, projectId);
      const where = { projectId };
      const pages = await reads.find<Page>(workspaceId, 'pages', { where, sort: [['sortOrder', 'asc']] });
      const components = await reads.find<Component>(workspaceId, 'components', { where });
      const warnings = await checks.of(workspaceId, { project, pages, components });
      return { ok: !warnings.some(({ breaks }) => breaks), warnings: warnings.slice(0, mostWarnings) };
    },
  }),
];
