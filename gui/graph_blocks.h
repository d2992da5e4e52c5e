// The blocks of a function as a table: for those who would rather read than look, and where there is no Graphviz.
#pragma once

#include <QAbstractTableModel>
#include <QTableView>
#include <memory>
#include <vector>

#include "analysis/function_flow.h"
#include "parser/module.h"

namespace ptxscope::gui {

class BlockModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { block, lines, instructions, ends, goes, live, column_count };
  explicit BlockModel(QObject* parent = nullptr);
  /// nullptr: nothing. The row of a block is its number.
  void show_flow(std::shared_ptr<const Module> module, std::shared_ptr<const analysis::FunctionFlow> flow);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  [[nodiscard]] QString text_of(const analysis::Block& block, int column) const;

  std::shared_ptr<const Module> module_;
  std::shared_ptr<const analysis::FunctionFlow> flow_;
};

class BlockTable : public QTableView {
  Q_OBJECT
 public:
  explicit BlockTable(QWidget* parent = nullptr);
  [[nodiscard]] BlockModel& blocks() { return *model_; }
  /// no_block: none.
  void set_chosen(analysis::BlockId block);

 Q_SIGNALS:
  void block_wanted(std::uint32_t block);

 private:
  BlockModel* model_;
  bool following_ = false;
};

}  // namespace ptxscope::gui
