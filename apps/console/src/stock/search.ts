/** The filter of the stock. */
export interface StockSearch {
  low?: true;
}

/** Reads the filter in the address. */
export const readStockSearch = (search: Record<string, unknown>): StockSearch => ({
  low: search.low === true ? true : undefined,
});
