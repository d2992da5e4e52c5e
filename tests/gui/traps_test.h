// Traps, launches and the explanation in a file.
#pragma once

#include <QObject>

class TrapsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void lists_traps();
  void lights_up_what_is_behind_a_trap();
  void lights_up_one_way();
  void follows_a_choice_made_elsewhere();
  void steps_through_traps();
  void puts_out_the_lights();
  void says_why_there_are_none();
  void follows_a_reload();
  void evaluates_launches();
  void keeps_what_was_typed();
  void refuses_bad_arguments();
  void refuses_impossible_launches();
  void links_launches_to_traps();
  void launches_kernels_only();
  void cancels_counting();
  void exports_explanations();
  void tells_why_it_cannot_export();
  void escapes_html();
};
