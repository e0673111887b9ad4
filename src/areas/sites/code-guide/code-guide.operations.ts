import { Operation } from '../../../engine/operation/operation.js';
import { Field } from '../../../kernel/field/field.js';
import { guideTopics } from './guide-topics.js';

const topics = [...Object.keys(guideTopics), 'all'];

export class GuideTopic {
  @Field({ type: 'string' }) topic!: string;
  @Field({ type: 'string', description: 'What it is about, in a line.' }) title!: string;
}

export class CodeGuide {
  @Field({ type: 'string' }) topic!: string;
  @Field({ type: 'string', optional: true, description: 'Markdown.' }) guide?: string;
  @Field({ type: 'array', items: () => GuideTopic, optional: true, description: "Of 'all': the index." })
  topics?: readonly GuideTopic[];
}

@Operation('site/getCodeGuide', {
  summary: 'Returns how code of sites is written: one topic, or the index of all topics.',
  source: 'Sites API, Projects and settings',
  group: 'projects',
  effect: 'query',
  permission: 'site.read',
  tools: 'granted',
  answers: { record: CodeGuide },
})
export class GetCodeGuide {
  @Field({ type: 'string', enum: topics, optional: true, default: 'all', description: "'all' is the index." })
  topic?: string;
}
