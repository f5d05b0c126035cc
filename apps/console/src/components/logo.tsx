export function Logo() {
  return (
    <span className="logo">
      <img src="/souk.svg" alt="" width="28" height="28" />
      <span>Souk</span>
    </span>
  );
}
