import {
  colouring,
  h,
  MatrixFigure,
  type AxisView,
  type Shown,
  type Side,
  type Span,
  type ViewOptions,
} from "../core";
import { fetchTile } from "../core/api";

/** Rows and columns of a tile. */
const tileSide = 48;

/** Returns the items around a cell of an axis of `size` items in `cells` cells. */
function itemsAround(cell: number, cells: number, size: number): Span {
  const middle = Math.floor(((cell + 0.5) * size) / cells);
  const begin = Math.max(0, Math.min(middle - tileSide / 2, size - tileSide));
  return [begin, Math.min(size, begin + tileSide)];
}

/** The weights around the pinned cell of a large map, which the server computes. */
export class Tile {
  readonly element = h("div.tile");
  private cell = "";

  constructor(
    private readonly side: Side,
    private readonly shown: Shown,
    private readonly options: ViewOptions,
  ) {
    const { tile } = shown.map;
    const what = "A cell shows the largest of the weights that it stands for.";
    const how = tile ? " Click a cell to see them." : "";
    this.element.append(h("p.note", what + how));
  }

  /** Shows the tile of the pinned cell. */
  update(): void {
    const { side, shown } = this;
    const { row, column } = side.pinned ?? { row: null, column: null };
    const { tile, pooled } = shown.map;
    if (!tile || !pooled || row === null || column === null) return;
    const cell = `${row} ${column}`;
    if (cell === this.cell) return;
    this.cell = cell;
    const axis = (view: AxisView) => side.part.axis(view.id);
    const [query, key] = [axis(shown.query), axis(shown.key)];
    const rows = itemsAround(row, pooled.rows, query.labels.length);
    const columns = itemsAround(column, pooled.columns, key.labels.length);
    fetchTile(tile, shown.head, rows, columns).then(
      (values) => {
        if (cell !== this.cell) return;
        const figure = new MatrixFigure(
          {
            label: `Weights of ${shown.name} around the chosen cell`,
            title: `Rows ${rows[0]}–${rows[1] - 1}, columns ${columns[0]}–${columns[1] - 1}`,
            rowLabels: query.labels.slice(...rows),
            columnLabels: key.labels.slice(...columns),
            values,
            ...colouring(this.options.scale, values, "attention weight"),
            numbers: this.options.numbers,
            width: this.options.width,
          },
          this.options.palette,
          { hover: () => undefined, pin: () => undefined },
        );
        this.element.replaceChildren(figure.element);
      },
      (error: Error) => {
        if (cell === this.cell) this.element.replaceChildren(h("p.error", error.message));
      },
    );
  }
}
