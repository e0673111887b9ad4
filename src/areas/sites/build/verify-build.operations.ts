import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { idField } from '../../../kernel/field/plain-text.js';
import { type WarningKind, warningKinds } from './source-warnings.js';

export class BuildWarning {
  @Field({ type: 'string', description: '`pages/index.tsx`, `components/Hero.tsx`' }) file!: string;
  @Field({ type: 'integer', description: 'From 1.' }) line!: number;
  @Field({ type: 'string', enum: warningKinds }) kind!: WarningKind;
  @Field({ type: 'string' }) message!: string;
}

export class BuildCheck {
  @Field({ type: 'boolean', description: 'false: something stands that would break a publish.' }) ok!: boolean;
  @Field({ type: 'array', items: () => BuildWarning }) warnings!: readonly BuildWarning[];
}

@Operation('site/verifyBuild', {
  summary: 'Checks all pages and components of a project without building them.',
  source: 'Sites API, Projects and settings',
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  within: 'project',
  tools: 'granted',
  answers: { record: BuildCheck },
})
export class VerifyBuild {
  @Field(idField) projectId!: string;
}
