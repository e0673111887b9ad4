import { query } from '../../../engine/operation/bound-operation.js';
import { Field } from '../../../kernel/field/field.js';
import { guideTopics } from './guide-topics.js';

const topics = [...Object.keys(guideTopics), 'all'];

class GuideTopic {
  @Field({ type: 'string' }) topic!: string;
  @Field({ type: 'string', description: 'The subject, in one line.' }) title!: string;
}

class CodeGuide {
  @Field({ type: 'string' }) topic!: string;
  @Field({ type: 'string', optional: true, description: 'The text of the topic, in Markdown.' }) guide?: string;
  @Field({
    type: 'array',
    items: () => GuideTopic,
    optional: true,
    description: "The index of topics. Present only for 'all'.",
  })
  topics?: readonly GuideTopic[];
}

export const codeGuideOperations = [
  query('site/getCodeGuide', {
    summary: 'Returns one topic of the guide to writing code for sites, or the index of all topics.',
    source: 'Sites API, Projects and settings',
    group: 'projects',
    permission: 'site.read',
    tools: 'granted',
    answers: { record: CodeGuide },
    input: {
      topic: { type: 'string', enum: topics, optional: true, default: 'all', description: "'all' returns the index." },
    },
    handle: async ({ topic = 'all' }): Promise<CodeGuide> => {
      const found = Object.entries(guideTopics).find(([name]) => name === topic)?.[1];
      if (found !== undefined) return { topic, guide: `# ${found.title}\n\n${found.text}\n` };
      return { topic, topics: Object.entries(guideTopics).map(([name, { title }]) => ({ topic: name, title })) };
    },
  }),
];
