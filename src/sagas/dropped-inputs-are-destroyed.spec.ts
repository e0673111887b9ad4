import { describe, it } from '@jest/globals';
import { givenSaga, of, Stage } from '../../test/support/given/given-saga.js';
import type { DeliveredFiles } from '../areas/functions/run/delivered-files.api.js';
import type { RunInputs } from '../areas/functions/run/run-inputs.api.js';
import { DroppedInputsAreDestroyed } from './dropped-inputs-are-destroyed.saga.js';

describe('an input that is no longer needed', () => {
  it('is destroyed, with its files where there are any', () => {
    const stage = new Stage();
    const saga = new DroppedInputsAreDestroyed(
      stage.noting<RunInputs>({ destroy: 'destroys the input' }),
      stage.noting<DeliveredFiles>({ destroy: 'destroys the files' }),
    );
    const dropped = (data: object) => of('run', 'fn_1', { type: 'RunInputDropped', data });
    return givenSaga(saga, stage)
      .gets(dropped({ runId: 'run_1' }), dropped({ runId: 'run_2', hasFiles: true }))
      .does(
        ['destroys the input', 'ws_spec', 'run_1'],
        ['destroys the input', 'ws_spec', 'run_2'],
        ['destroys the files', { workspaceId: 'ws_spec', runId: 'run_2' }],
      );
  });
});
