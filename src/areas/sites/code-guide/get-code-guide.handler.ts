import { QueryHandler } from '@nestjs/cqrs';
import { type CodeGuide, GetCodeGuide } from './code-guide.operations.js';
import { guideTopics } from './guide-topics.js';

@QueryHandler(GetCodeGuide)
export class GetCodeGuideHandler {
  async execute({ topic = 'all' }: GetCodeGuide): Promise<CodeGuide> {
    const found = Object.entries(guideTopics).find(([name]) => name === topic)?.[1];
    if (found !== undefined) return { topic, guide: `# ${found.title}\n\n${found.text}\n` };
    return { topic, topics: Object.entries(guideTopics).map(([name, { title }]) => ({ topic: name, title })) };
  }
}
