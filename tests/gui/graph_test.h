// The control flow graph: what is shown, laid out, chosen, lit up, exported.
#pragma once

#include <QObject>

class GraphTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void plans_blocks_edges_and_loops();
  void plans_parts_with_stubs();
  void lays_out();
  void shows_the_chosen_function();
  void links_blocks_and_code();
  void goes_by_keyboard();
  void zooms_and_fits();
  void lights_up_a_trap();
  void says_that_graphviz_is_missing();
  void tells_that_graphviz_fails();
  void cancels();
  void gives_up_in_time();
  void shows_many_blocks_in_parts();
  void shows_functions_without_graph();
  void follows_a_reload();
  void changes_theme_and_size();
  void exports_data();
  void exports();
  void tells_why_it_cannot_export();
};
