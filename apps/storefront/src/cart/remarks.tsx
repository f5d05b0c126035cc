/** The changes of the cart, with their reasons. */
export function Remarks({ remarks }: { remarks: readonly string[] }) {
  return (
    <div role="status">
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
