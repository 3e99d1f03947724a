import { expect, it } from 'vitest';
import { WriteQueue } from '../../../../services/ports/vector-store/lancedb/write-queue.js';
import { randomPoints } from '../../../contracts/vector-store-points.js';

/** The sizes of the commits that so many waiting upserts of 256 points each become. */
async function commits(dimensions: number, upserts: number): Promise<readonly number[]> {
  const sizes: number[] = [];
  const queue = new WriteQueue({
    upsert: (points) => {
      sizes.push(points.length);
      return Promise.resolve();
    },
    remove: () => Promise.resolve(),
  });
  const [sample] = randomPoints(1, dimensions);
  if (sample === undefined) throw new Error('no point');
  const points = Array.from({ length: 256 }, () => sample);
  await Promise.all(Array.from({ length: upserts }, () => queue.upsert(points)));
  return sizes;
}

it('merges waiting upserts up to 4 MB of vectors, however wide they are', async () => {
  expect(await commits(1024, 8)).toEqual([1024, 1024]);
  expect(await commits(256, 8)).toEqual([2048]);
});
