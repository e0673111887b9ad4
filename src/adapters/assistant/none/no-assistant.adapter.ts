import { Assistant, AssistantNotConfigured } from '../../../ports/network/assistant.port.js';

/** The assistant of a service whose operator has not set ASSISTANT_URL. */
export class NoAssistant extends Assistant {
  override readonly configured = false;

  override async ask(): Promise<never> {
    throw new AssistantNotConfigured('No assistant is configured: ASSISTANT_URL is not set.');
  }
}
