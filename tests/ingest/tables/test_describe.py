from collections.abc import Callable
from datetime import date

from ingest.tables import TableImport

Take = Callable[..., TableImport]


def test_columns_carry_counts_and_frequent_examples(take: Take) -> None:
    text = "id,city,note\n1,Osaka,\n2,Tokyo,x\n3,Osaka,x\n"
    city, note = take(text).tables[0].columns[1:]
    assert (city.distinct, city.nulls, city.examples) == (2, 0, ("Osaka", "Tokyo"))
    assert (note.distinct, note.nulls) == (1, 1)


def test_text_of_many_values_shows_three_examples(take: Take) -> None:
    text = "id,name\n" + "".join(f"{i},n{i}\n" for i in range(10, 30))
    assert take(text).tables[0].columns[1].examples == ("n10", "n11", "n12")


def test_a_column_may_have_any_one_letter_name(take: Take) -> None:
    for name in ("v", "c", "c0", "n"):
        table = take(f"id,{name}\n1,2\n3,4\n", name=f"{name}.csv").tables[0]
        assert table.columns[1].examples == ("2", "4")


def test_the_key_is_the_id_rather_than_another_unique_column(take: Take) -> None:
    text = "name,price,product_id\npen,100,7\nink,200,8\n"
    assert take(text, name="products.csv").tables[0].primary_key == ("product_id",)


def test_a_pair_is_the_key_where_no_column_is_unique(take: Take) -> None:
    text = "order_id,product_id,qty\n1,1,5\n1,2,5\n2,1,5\n"
    assert take(text).tables[0].primary_key == ("order_id", "product_id")


def test_no_key_is_claimed_where_rows_repeat(take: Take) -> None:
    assert take("order_id,qty\n1,5\n1,5\n").tables[0].primary_key == ()


def test_the_main_date_is_the_event_not_the_deadline(take: Take) -> None:
    text = "id,due_date,created_at,order_date\n1,2026-03-01,2025-01-01,2026-01-05\n"
    text += "2,2026-04-01,2025-01-01,2026-02-07\n"
    table = take(text).tables[0]
    assert table.date_column == "order_date"
    assert (table.data_from, table.data_to) == (date(2026, 1, 5), date(2026, 2, 7))


def test_a_dated_stock_table_is_a_snapshot(take: Take) -> None:
    text = "date,sku,on_hand\n2026-01-31,A1,5\n2026-02-28,A1,7\n"
    assert take(text, name="levels.csv").tables[0].snapshot
    assert take("基準日,商品,数量\n2026-01-31,A,5\n", name="月末在庫.csv").tables[0].snapshot


def test_sales_and_undated_products_are_no_snapshots(take: Take) -> None:
    assert not take("date,sku,qty\n2026-01-31,A1,5\n").tables[0].snapshot
    assert not take("product_id,units_in_stock\n1,5\n", name="p.csv").tables[0].snapshot


def test_movements_of_stock_are_no_snapshot(take: Take) -> None:
    text = "date,sku,qty\n2026-01-31,A1,5\n"
    assert not take(text, name="stock_movements.csv").tables[0].snapshot
    assert not take(text, name="在庫移動.csv").tables[0].snapshot


def test_the_date_of_a_record_makes_no_snapshot(take: Take) -> None:
    text = "product_id,units_in_stock,updated_at\n1,5,2026-01-31\n"
    assert not take(text, name="products.csv").tables[0].snapshot
