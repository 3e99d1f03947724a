import type { Table as ArrowTable, Data, DataType } from 'apache-arrow';
import type { Attributes } from '../../../domain/attributes.js';
import type { Point } from '../port.js';
import { entriesOf } from '../entries.js';
import { arrow } from './native.js';

const {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  List,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  makeData,
  vectorFromArray,
} = arrow;

const entriesField = (): InstanceType<typeof Field> =>
  new Field('entries', new List(new Field('item', new Utf8(), true)), false);

/** What both tables hold of a point: who it is, and what filters ask for. */
const identity = (): InstanceType<typeof Field>[] => [
  new Field('point_id', new Utf8(), false),
  new Field('chunk_id', new Utf8(), false),
  new Field('document_id', new Utf8(), false),
  new Field('version_hash', new Utf8(), true),
  new Field('seq', new Int32(), false),
  new Field('source', new Utf8(), false),
  new Field('import_id', new Utf8(), true),
  new Field('generation', new Int32(), true),
  entriesField(),
];

/** The table of unit vectors. */
export const vectorSchema = (dimensions: number): InstanceType<typeof Schema> =>
  new Schema([
    ...identity(),
    new Field('vector', new FixedSizeList(dimensions, new Field('item', new Float32(), true)), false),
  ]);

/** The table of terms, joined by spaces: no term contains white space. */
export const termSchema = (): InstanceType<typeof Schema> =>
  new Schema([...identity(), new Field('terms', new Utf8(), false)]);

const column = (values: readonly unknown[], type: DataType): Data => {
  const [data] = vectorFromArray(values, type).data;
  if (data === undefined) throw new Error('an Arrow vector without data');
  return data;
};

const identityColumns = (points: readonly Point[], entries: readonly (readonly string[])[]): Data[] => [
  column(
    points.map(({ pointId }) => pointId),
    new Utf8(),
  ),
  column(
    points.map(({ chunkId }) => chunkId),
    new Utf8(),
  ),
  column(
    points.map(({ documentId }) => documentId),
    new Utf8(),
  ),
  column(
    points.map(({ versionHash }) => versionHash ?? null),
    new Utf8(),
  ),
  column(
    points.map(({ seq }) => seq),
    new Int32(),
  ),
  column(
    points.map(({ source }) => source),
    new Utf8(),
  ),
  column(
    points.map(({ importId }) => importId ?? null),
    new Utf8(),
  ),
  column(
    points.map(({ generation }) => generation ?? null),
    new Int32(),
  ),
  column(entries, entriesField().type),
];

function table(schema: InstanceType<typeof Schema>, children: Data[], length: number): ArrowTable {
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return new Table(schema, [new RecordBatch(schema, data)]);
}

/** The entries of each point; points of one version share their attributes, so most are worked out once. */
function entriesOfPoints(points: readonly Point[]): readonly (readonly string[])[] {
  const known = new Map<Attributes, readonly string[]>();
  return points.map(({ attributes }) => {
    let entries = known.get(attributes);
    if (entries === undefined) known.set(attributes, (entries = entriesOf(attributes)));
    return entries;
  });
}

export function vectorRows(points: readonly Point[], dimensions: number): ArrowTable {
  const schema = vectorSchema(dimensions);
  const floats = new Float32Array(points.length * dimensions);
  points.forEach(({ vector }, index) => floats.set(unitLength(vector), index * dimensions));
  const vectors = makeData({
    type: new FixedSizeList(dimensions, new Field('item', new Float32(), true)),
    length: points.length,
    nullCount: 0,
    child: makeData({ type: new Float32(), length: floats.length, nullCount: 0, data: floats }),
  });
  return table(schema, [...identityColumns(points, entriesOfPoints(points)), vectors], points.length);
}

export function termRows(points: readonly Point[]): ArrowTable {
  const joined = column(
    points.map(({ terms }) => terms.join(' ')),
    new Utf8(),
  );
  return table(termSchema(), [...identityColumns(points, entriesOfPoints(points)), joined], points.length);
}

/** A vector of length 1 in the same direction: of unit vectors the dot product is the cosine. Zero stays zero. */
export function unitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0 || Math.abs(squares - 1) < 1e-7) return vector;
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}
