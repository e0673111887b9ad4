import { Injectable } from '@nestjs/common';
import { ShownEvents } from '../../../engine/trial/shown-events.js';
import type { Caller } from '../../../kernel/caller.js';
import type { RecordedEvent } from '../../../kernel/event.js';
import { parseStream } from '../../../kernel/stream-name.js';
import { maySee } from '../audit-visibility.api.js';
import { shownData } from '../left-out.js';

/** Events of a trial, as `listEvents` would show them. */
@Injectable()
export class TrialEvents extends ShownEvents {
  override dataOf(caller: Caller, { stream, data }: RecordedEvent): unknown {
    return maySee(caller, parseStream(stream).category) ? shownData(data) : null;
  }
}
