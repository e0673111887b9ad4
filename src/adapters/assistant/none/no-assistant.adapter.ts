import { Assistant, AssistantNotConfigured } from '../../../ports/network/assistant.port.js';

export class NoAssistant extends Assistant {
  override readonly configured = false;

  override async ask(): Promise<never> {
    throw new AssistantNotConfigured('No assistant is configured: ASSISTANT_URL is not set.');
  }
}
