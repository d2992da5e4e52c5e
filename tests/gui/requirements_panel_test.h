// What a module needs, targets × versions, the lines that do not fit.
#pragma once

#include <QObject>

class RequirementsPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shows_what_is_needed();
  void agrees_with_check();
  void marks_what_does_not_fit();
  void is_asked_in_the_matrix();
  void is_asked_by_keyboard();
  void goes_to_a_row();
  void steps_through_lines();
  void lists_a_part_of_many();
  void shows_a_broken_file();
  void shows_what_nothing_takes();
  void waits_for_the_file();
  void keeps_the_question_over_a_reload();
  void keeps_the_question_with_the_session();
  void answers_the_last_question();
  void can_be_closed_while_it_works();
};
