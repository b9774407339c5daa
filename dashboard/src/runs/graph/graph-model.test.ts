import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphNode, NOW, taskRun, timeline } from '../../../test/factories.ts';
import { modelOf } from './graph-model.ts';

test('a node knows whose results it takes, and who takes its own', () => {
  const [extract, load, report] = [taskRun(), taskRun({ givers: [0] }), taskRun({ givers: [0, 1] })];
  const model = modelOf(timeline([extract, load, report]));
  assert.deepEqual(
    model?.nodes.map(({ givers, takers }) => ({ givers, takers })),
    [
      { givers: [], takers: [1, 2] },
      { givers: [0], takers: [2] },
      { givers: [0, 1], takers: [] },
    ],
  );
  assert.equal(model?.indexes.get(report.id), 2);
});

test('a node has the name, the state and the start of its run', () => {
  const late = taskRun({
    name: 'clean',
    kind: 'flow-run',
    state_type: 'SCHEDULED',
    state_name: 'Late',
    start: null,
    expected: 5000,
  });
  const [node] = modelOf(timeline([late]))?.nodes ?? [];
  const start = Date.parse(NOW) + 5000;
  assert.deepEqual(node, graphNode({ id: late.id, name: 'clean', isSubflow: true, kind: 'LATE', start }));
});

test('a run without task runs has an empty graph, and an answer without givers has none', () => {
  assert.deepEqual(modelOf(timeline())?.nodes, []);
  assert.equal(modelOf(timeline([taskRun()], { givers: null })), undefined);
});
