"""Terms of trade in English, Japanese and Chinese: what people call a table that is named in
another language. They become the synonyms of a drafted catalog, which a person may edit."""

from ingest.tables.describe import singular
from ingest.tables.names import words

_TERMS = """
account 取引先 客户公司; activity 活動 活动; address 住所 地址; adjustment 調整 调整; agreement 協定 协议;
appointment 予約 预约; asset 資産 资产; attendance 勤怠 考勤; batch ロット 批次; bom 部品表 物料清单;
branch 支店 分店; brand ブランド 品牌; budget 予算 预算; campaign キャンペーン 营销活动; carrier 運送業者 承运商;
category カテゴリ 分類 类别 品类; city 市 城市; comment コメント 评论; company 会社 公司; contact 連絡先 联系人;
contract 契約 合同; country 国 国家; coupon クーポン 优惠券; customer 顧客 得意先 客户; deal 商談 案件 商机;
delivery 配送 納品 配送 交货; department 部門 部署 部门; discount 割引 折扣; district 地区; employee 従業員 社員 员工;
expense 経費 费用; forecast 予測 预测; inventory 在庫 库存; invoice 請求書 请求 发票; item 品目 明細 物料;
lead 見込み客 リード 线索; ledger 台帳 总账; location 場所 ロケーション 地点 库位; manufacturer メーカー 製造元 制造商;
material 資材 原料 物料; member 会員 会员; membership 会員登録 会员资格; movement 移動 入出庫 出入库; note メモ 备注;
order 注文 受注 订单; organization 組織 组织; part 部品 零件 部件; payment 支払 入金 付款 支付; pipeline パイプライン 销售流程;
plan プラン 計画 计划 套餐; price 価格 単価 价格; product 商品 製品 产品 商品; promotion 販促 促销; purchase 購買 仕入 采购;
quote 見積 报价; receipt 入荷 領収書 レシート 收货 收据; refund 返金 退款; region 地域 地区 区域; return 返品 退货;
review レビュー 评价; sale 売上 販売 销售; shipment 出荷 発送 发货 出货; shipper 運送会社 承运人; shop 店 店铺;
snapshot 残高 快照; stage 段階 ステージ 阶段; stock 在庫 库存; store 店舗 门店 店铺; subscription 定期購読 サブスクリプション 订阅;
supplier 仕入先 供应商; tag タグ 标签; target 目標 目标; task タスク 任务; tax 税 税; team チーム 团队;
territory 担当地域 销售区域; ticket チケット 問い合わせ 工单; transaction 取引 交易; transfer 移動 調拨 调拨; user ユーザー 用户;
vendor ベンダー 供应商; warehouse 倉庫 仓库; warranty 保証 保修; workflow ワークフロー 工作流
"""
_SYNONYMS = {
    english: tuple(dict.fromkeys(others))
    for english, *others in (entry.split() for entry in _TERMS.replace("\n", " ").split(";"))
}


def synonyms(name: str) -> tuple[str, ...]:
    """What an English name of a table is called in Japanese and Chinese, by its last word: a
    table `customer_orders` holds orders. () for a word that is no term of trade."""
    parts = words(name)
    return _SYNONYMS.get(singular(parts[-1]), ()) if parts else ()
