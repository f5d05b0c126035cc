/** The filter of the list of stock. */
export interface StockSearch {
  low?: true;
}

/** Reads the filter from the URL. */
export const readStockSearch = (search: Record<string, unknown>): StockSearch => ({
  low: search.low === true ? true : undefined,
});
